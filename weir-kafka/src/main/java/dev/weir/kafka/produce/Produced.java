package dev.weir.kafka.produce;

import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * A {@link Message} whose records the brokers have acknowledged. Immutable.
 *
 * @param metadata the metadata of each record, in the order of the message
 * @param passThrough the message's value
 */
public record Produced<P>(List<RecordMetadata> metadata, P passThrough) {

    /** Copies the list. Rejects null. */
    public Produced {
        metadata = List.copyOf(Objects.requireNonNull(metadata, "metadata"));
        Objects.requireNonNull(passThrough, "passThrough");
    }
}
