package planted.stream;

import org.apache.kafka.common.TopicPartition;
import planted.kafka.Inner;
import planted.kafka.internal.Hidden;

/** The engine reaches for the module above it, for that module's internals, and for Kafka. */
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
