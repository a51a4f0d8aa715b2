package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.Thrown;

/** Helpers that the operators of this package share. Stateless. */
final class FailureHelpers {

    private FailureHelpers() {}

    /** Returns whether a stream may continue after an upstream failure. Interrupts and fatal JVM errors end it. */
    static boolean isRecoverable(Throwable failure) {
        return !(failure instanceof InterruptedException)
                && !Thrown.isFatal(failure)
                && !TaskGroup.isCurrentInterrupted();
    }

    /** Closes a failed stage. An exception of the closing is added to the failure as suppressed. */
    static void close(Stage<?> failed, Throwable failure) {
        try {
            failed.close();
        } catch (RuntimeException | Error another) {
            if (another != failure) {
                failure.addSuppressed(another);
            }
        }
    }
}
