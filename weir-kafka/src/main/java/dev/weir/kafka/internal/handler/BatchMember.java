package dev.weir.kafka.internal.handler;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record in a batch, with its pending acknowledgement. Confined to the thread that works on the batch, except that
 * any thread may complete the acknowledgement. The acknowledgement is completed only once.
 */
final class BatchMember<K, V> {

    final HandlerJob<K, V> job;
    final AckTarget target;
    final long token;

    /** The ordering key, or {@link dev.weir.stream.Ordering#NO_KEY}. */
    final long key;

    private final AtomicBoolean ended = new AtomicBoolean();

    /** Null until there is an outcome. */
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

    /**
     * Drops the pending acknowledgement if the source has lost the record. If this method returns true, the record must
     * not be processed further.
     */
    boolean dropIfLost() {
        if (!isLost()) {
            return false;
        }
        if (takeAcknowledgement()) {
            boolean ignored = target.dropIfRevoked(token);
        }
        return true;
    }

    /**
     * Reserves the acknowledgements of the given records for the caller; see {@link #takeAcknowledgement}. Returns the
     * records whose acknowledgements were not reserved before. If the returned batch is acknowledged or abandoned, all
     * its acknowledgements end even if a target throws.
     */
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
     * Reserves the acknowledgement for the caller, which must then complete it. Returns false if another caller was
     * first. May be called from any thread.
     */
    boolean takeAcknowledgement() {
        return ended.compareAndSet(false, true);
    }
}
