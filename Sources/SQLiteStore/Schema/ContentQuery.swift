/// Queries about the content of files, which jobs and uploads name.
enum ContentQuery {
    /// Has a row when a job or an upload names content.
    static let isNamed = """
        SELECT 1 WHERE EXISTS (SELECT 1 FROM artifact WHERE sha256 = ?1) \
        OR EXISTS (SELECT 1 FROM upload WHERE sha256 = ?1)
        """
}
