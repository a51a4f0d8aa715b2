package dev.weir.kafka.internal.handler;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record in a batch, with its pending acknowledgement. Confined to the thread that works on the batch. Any thread may
 * complete the acknowledgement, once.
 */
final class BatchMember<K, V> {

    final HandlerJob<K, V> job;
    final AckTarget target;
    final long token;

    /** The ordering key, or {@link dev.weir.stream.Ordering#NO_KEY}. */
    final long key;

    private final AtomicBoolean ended = new AtomicBoolean();

    /** Null until the record is handled. */
    @Nullable
    HandlerOutcome<ConsumerRecord<K, V>> outcome;

    BatchMember(HandlerJob<K, V> job, AckTarget target, long token, long key) {
        this.job = job;
        this.target = target;
        this.token = token;
        this.key = key;
    }

    boolean isLost() {
        return target.isRevoked(token);
    }

    /** Drops the acknowledgement if the source has lost the record. If so, the record must not be processed further. */
    boolean dropIfLost() {
        if (!isLost()) {
            return false;
        }
        if (takeAcknowledgement()) {
            boolean ignored = target.dropIfRevoked(token);
        }
        return true;
    }

    /** Takes the acknowledgements that no other caller has taken. */
    static <K, V> Batch<?> taken(List<BatchMember<K, V>> members) {
        Batch<BatchMember<K, V>> taken = new Batch<>(members.size());
        for (BatchMember<K, V> member : members) {
            if (member.takeAcknowledgement()) {
                taken.add(member, member.target, member.token);
            }
        }
        return taken;
    }

    /**
     * Takes the acknowledgement, which the caller must then complete. Returns false if another caller was first. May be
     * called from any thread.
     */
    boolean takeAcknowledgement() {
        return ended.compareAndSet(false, true);
    }
}
