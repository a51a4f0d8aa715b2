package dev.weir.checks.integration;

import dev.weir.kafka.FetchPath;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Switches the tests of a class to the lean fetch path. Their settings call {@link #current}. Confined to JUnit's
 * threads.
 */
final class OnLeanPath implements BeforeAllCallback, AfterAllCallback {

    private static volatile FetchPath current = FetchPath.CLIENT;
    private static volatile int threads = 1;

    /** Returns the fetch path of the running class. */
    static FetchPath current() {
        return current;
    }

    /** Returns the number of fetch threads for the running class. */
    static int threads() {
        return threads;
    }

    /** Sets the path and the number of threads until the end of the class. */
    static void set(FetchPath path, int fetchThreads) {
        current = path;
        threads = fetchThreads;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        set(FetchPath.LEAN, 1);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        set(FetchPath.CLIENT, 1);
    }
}
