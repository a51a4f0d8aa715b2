package dev.weir.lean.internal.net;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes resources that are no longer needed, without throwing exceptions. Stateless. */
final class QuietClose {

    private static final Logger LOG = LoggerFactory.getLogger(QuietClose.class);

    private QuietClose() {}

    static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // Only log it: the resource is no longer needed.
            LOG.debug("closing", e);
        }
    }
}
