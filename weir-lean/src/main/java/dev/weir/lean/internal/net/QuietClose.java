package dev.weir.lean.internal.net;

/** Closes resources that are no longer needed, without throwing exceptions. Stateless. */
final class QuietClose {

    private static final System.Logger LOG = System.getLogger(QuietClose.class.getName());

    private QuietClose() {}

    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // The resource is no longer needed, so only log the failure.
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
    }
}
