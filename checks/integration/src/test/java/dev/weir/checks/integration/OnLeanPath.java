package dev.weir.checks.integration;

import dev.weir.kafka.FetchPath;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Lets the tests of a class, whose settings ask {@link #current}, fetch by lean. Confined to the threads of JUnit. */
final class OnLeanPath implements BeforeAllCallback, AfterAllCallback {

    private static volatile FetchPath current = FetchPath.CLIENT;

    /** The path for the class that runs. */
    static FetchPath current() {
        return current;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        current = FetchPath.LEAN;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        current = FetchPath.CLIENT;
    }
}
