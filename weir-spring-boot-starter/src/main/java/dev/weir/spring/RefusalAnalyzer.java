package dev.weir.spring;

import dev.weir.kafka.KafkaPipelineException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Turns what Weir refuses when an application starts into a paragraph: Weir's messages name the setting and the way
 * out, and a stack trace would bury them. Stateless.
 */
final class RefusalAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (isRefusal(cause)) {
                return new FailureAnalysis(
                        "Weir: " + cause.getMessage(),
                        "Change the property or the setting that the message names.",
                        cause);
            }
        }
        return null;
    }

    private static boolean isRefusal(Throwable cause) {
        return cause instanceof KafkaPipelineException
                || (cause instanceof IllegalArgumentException
                        && cause.getStackTrace().length > 0
                        && cause.getStackTrace()[0].getClassName().startsWith("dev.weir."));
    }
}
