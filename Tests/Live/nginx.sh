# Sourced by tests that call a server through nginx: start_nginx CONFIGURATION starts one with these servers; $front is
# a free port for it, $certificate and $key the files of a certificate for localhost.
front=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir "$work/nginx"
certificate=$work/nginx/cert.pem
key=$work/nginx/key.pem

make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout "$key" -out "$certificate" 2>/dev/null
}

start_nginx() {
  cat >"$work/nginx/conf" <<EOF
daemon off; pid $work/nginx/pid; error_log $work/nginx/errors;
events {}
http {
  access_log off; client_body_temp_path $work/nginx/a; proxy_temp_path $work/nginx/b; fastcgi_temp_path $work/nginx/c;
  uwsgi_temp_path $work/nginx/d; scgi_temp_path $work/nginx/e;
  $1
}
EOF
  "$(PATH=$PATH:/usr/sbin command -v nginx)" -e "$work/nginx/errors" -c "$work/nginx/conf" &
  started+=($!)
}
