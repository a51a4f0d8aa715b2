package dev.weir.checks.integration;

import dev.weir.kafka.ProducePath;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Switches the tests of a class to the lean producer. Their settings call {@link #current}. Confined to JUnit's
 * threads.
 */
final class OnLeanProducing implements BeforeAllCallback, AfterAllCallback {

    private static volatile ProducePath current = ProducePath.CLIENT;

    /** Returns the produce path of the running class. */
    static ProducePath current() {
        return current;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        current = ProducePath.LEAN;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        current = ProducePath.CLIENT;
    }
}
