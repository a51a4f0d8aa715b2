package dev.weir.kafka.internal.out.client;

import dev.weir.lean.LeanException;
import dev.weir.stream.spi.Thrown;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;

/** Translates a lean producer's exceptions into the exceptions of Kafka's client. Stateless. */
public final class ProduceFaults {

    private ProduceFaults() {}

    /**
     * Returns the exception that Kafka's client would throw, with the lean producer's message. A record that failed
     * because the producer was closed, or because of another record in its batch, gets a plain {@code KafkaException}.
     */
    public static KafkaException asOfClient(LeanException fault) {
        String message = String.valueOf(fault.getMessage());
        for (Throwable each : Thrown.causes(fault)) {
            if (each instanceof TimeoutException waited) {
                return waited(message, waited);
            }
            if (each instanceof ApiException said) {
                return sameKind(said, message);
            }
        }
        // With a cause, the fault has stopped the producer. Otherwise, the producer was closed or another record was
        // faulty.
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
