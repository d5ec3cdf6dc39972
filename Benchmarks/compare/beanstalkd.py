"""beanstalkd with a log that is synced at each job."""
from .machine import output, program
from .server import Server


class Beanstalkd(Server):
    name = "beanstalkd"
    protocol = "beanstalkd"
    durability = "`-f 0`: fsync of its log at each job, before the answer"
    result = "none; the worker puts it into a second tube; worker in C, no retries"
    share_of_jobs = 0.1

    def version(self):
        return output([program("beanstalkd"), "-v"])

    def words(self):
        return [program("beanstalkd"), "-l", "127.0.0.1", "-p", self.port, "-b", self.folder, "-f", "0"]
