import JobServer

await JobServer.run()
