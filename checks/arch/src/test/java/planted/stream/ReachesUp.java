package planted.stream;

import org.apache.kafka.common.TopicPartition;
import planted.kafka.Inner;
import planted.kafka.internal.Hidden;

/** Breaks the layering: uses the module above it, that module's internals, and Kafka. */
final class ReachesUp {
    Object up() {
        return new Inner();
    }

    Object inside() {
        return new Hidden();
    }

    Object kafka() {
        return new TopicPartition("t", 0);
    }
}
