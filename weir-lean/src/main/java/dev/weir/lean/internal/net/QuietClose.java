package dev.weir.lean.internal.net;

/** Closes unneeded resources without throwing. Stateless. */
final class QuietClose {

    private static final System.Logger LOG = System.getLogger(QuietClose.class.getName());

    private QuietClose() {}

    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // The resource is dropped anyway; the failure is logged.
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
    }
}
