package dev.weir.lean.internal.net;

/** Closes what is of no more use. Stateless. */
final class QuietClose {

    private static final System.Logger LOG = System.getLogger(QuietClose.class.getName());

    private QuietClose() {}

    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // It was to be given up anyway; the log says what it had to say.
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
        }
    }
}
