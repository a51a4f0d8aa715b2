package dev.weir.kafka.internal.out.client;

import dev.weir.lean.LeanException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;

/** Faults of a lean producer in the terms of Kafka's client. Functions only. */
public final class ProduceFaults {

    private ProduceFaults() {}

    /**
     * The exception that Kafka's client would give, with the message of the lean one, which names the partition. For
     * what was given up only because the producer was closed, or for its neighbour, a {@code KafkaException} and no
     * subclass, as there.
     */
    public static KafkaException asOfClient(LeanException fault) {
        String message = String.valueOf(fault.getMessage());
        for (Throwable each = fault.getCause(); each != null; each = each.getCause()) {
            if (each instanceof TimeoutException waited) {
                return waited(message, waited);
            }
            if (each instanceof ApiException said) {
                return sameKind(said, message);
            }
        }
        // Whatever ended the producer itself is nobody's neighbour.
        return fault.getCause() == null ? new KafkaException(message, fault) : new ApiException(message, fault);
    }

    private static KafkaException waited(String message, TimeoutException waited) {
        return new TimeoutException(message, waited.getCause());
    }

    private static KafkaException sameKind(ApiException said, String message) {
        Errors kind = Errors.forException(said);
        return kind == Errors.UNKNOWN_SERVER_ERROR ? new ApiException(message, said) : kind.exception(message);
    }
}
