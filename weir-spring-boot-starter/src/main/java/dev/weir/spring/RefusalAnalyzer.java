package dev.weir.spring;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.stream.spi.Thrown;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Replaces the stack trace with a short message if Weir or its Kafka client refused to start. The message names the
 * setting to change. Stateless.
 */
final class RefusalAnalyzer implements FailureAnalyzer {

    private static final String WEIR = "dev.weir.";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause : Thrown.causes(failure)) {
            if (isRefusal(cause)) {
                return new FailureAnalysis(
                        "Weir: " + reasons(cause), "Change the property or the setting that the message names.", cause);
            }
        }
        return null;
    }

    /** Returns whether the user's settings caused the failure. Its message says what to do. */
    static boolean isRefusal(Throwable cause) {
        List<StackTraceElement> frames = Arrays.asList(cause.getStackTrace());
        return switch (cause) {
            case KafkaPipelineException refused -> true;
            case KafkaException ofTheClient -> frames.stream().anyMatch(RefusalAnalyzer::isOfWeir);
            case IllegalArgumentException value -> frames.stream().limit(1).anyMatch(RefusalAnalyzer::isOfWeir);
            case IllegalStateException use -> frames.stream().limit(1).anyMatch(RefusalAnalyzer::isOfWeir);
            default -> false;
        };
    }

    private static boolean isOfWeir(StackTraceElement frame) {
        return frame.getClassName().startsWith(WEIR);
    }

    /**
     * Returns the message of a failure and of its causes, without repetitions. Kafka's clients often report the reason
     * in a cause.
     */
    static String reasons(Throwable failure) {
        String told = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
        for (Throwable cause : Thrown.causes(failure)) {
            String message = Objects.requireNonNullElse(cause.getMessage(), cause.toString());
            if (!told.contains(message)) {
                told += ": " + message;
            }
        }
        return told;
    }
}
