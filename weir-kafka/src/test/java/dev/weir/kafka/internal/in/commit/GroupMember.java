package dev.weir.kafka.internal.in.commit;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;

/** A Kafka client in the group g. */
final class GroupMember extends MockConsumer<byte[], byte[]> {

    private ConsumerGroupMetadata member;

    GroupMember(int generation, String id) {
        super("earliest");
        this.member = of(generation, id);
    }

    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private static ConsumerGroupMetadata of(int generation, String id) {
        return new ConsumerGroupMetadata("g", generation, id, Optional.of("pod-1"));
    }

    void joins(int generation, String id) {
        member = of(generation, id);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    public ConsumerGroupMetadata groupMetadata() {
        return member;
    }
}
