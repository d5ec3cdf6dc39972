"""nginx: the target of the jobs' calls, and the upper limit of HTTP serving."""
import os

from .machine import output, program
from .server import Server

CONFIGURATION = """daemon off; worker_processes 1; user root; pid {folder}/pid; error_log {folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 300; tcp_nodelay on;
  open_file_cache max=100 inactive=600s; open_file_cache_valid 600s; types {{ application/json json; }}
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096; root {folder}/www;
    location = /v1/jobs {{ default_type application/problem+json; add_header Retry-After 1 always;
      return 503 '{refusal}'; }} }} }}
"""
PATH = "/job.json"
#: The length of our server's refusal.
REFUSAL = '{"type":"/v1/problems/server.overloaded","title":"The server has too much to do","status":503,"detail":"' + "x" * 220 + '"}'


class Nginx(Server):
    name = "nginx"
    protocol = "http"
    durability = "none: a static file of 250 bytes, one worker process"

    def version(self):
        text = output(["dpkg-query", "-W", "-f", "${Version}", "nginx"])
        return f"nginx {text}" if text else "nginx"

    def words(self):
        os.makedirs(os.path.join(self.folder, "www"), exist_ok=True)
        text = '{"id":"job_01hzx3v9k4m2q8t7r6p5n4w3yb","state":"succeeded","done":true,"result":"' + "x" * 160 + '"}\n'
        with open(os.path.join(self.folder, "www", "job.json"), "w") as file:
            file.write(text)
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(folder=self.folder, port=self.port, refusal=REFUSAL))
        return [program("nginx"), "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", configuration]
