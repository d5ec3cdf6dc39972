"""nginx: what jobs call, and the limit of serving over HTTP."""
import os

from .machine import output, program
from .server import Server

CONFIGURATION = """daemon off; worker_processes 1; user root; pid {folder}/pid; error_log {folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 300; tcp_nodelay on;
  open_file_cache max=100 inactive=600s; open_file_cache_valid 600s; types {{ application/json json; }}
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096; root {folder}/www; }} }}
"""
PATH = "/job.json"


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
            file.write(CONFIGURATION.format(folder=self.folder, port=self.port))
        return [program("nginx"), "-e", os.path.join(self.folder, "error.log"), "-p", self.folder, "-c", configuration]
