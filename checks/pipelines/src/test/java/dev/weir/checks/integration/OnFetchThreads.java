package dev.weir.checks.integration;

import dev.weir.kafka.FetchPath;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Switches the tests of a class to the lean fetch path with two fetch threads per consumer. Confined to JUnit's
 * threads.
 */
final class OnFetchThreads implements BeforeAllCallback, AfterAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        OnLeanPath.set(FetchPath.LEAN, 2);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        OnLeanPath.set(FetchPath.CLIENT, 1);
    }
}
