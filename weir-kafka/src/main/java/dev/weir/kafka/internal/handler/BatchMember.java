package dev.weir.kafka.internal.handler;

import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A record in a batch, with its claim. Belongs to the thread that works on the batch; the claim ends once. */
final class BatchMember<K, V> {

    final HandlerJob<K, V> job;
    final AckTarget target;
    final long token;

    /** The key it is ordered by, or {@link dev.weir.stream.Ordering#NO_KEY}. */
    final long key;

    private final AtomicBoolean ended = new AtomicBoolean();

    /** The outcome; null as long as nothing has. */
    @Nullable
    HandlerOutcome<ConsumerRecord<K, V>> outcome;

    BatchMember(HandlerJob<K, V> job, AckTarget target, long token, long key) {
        this.job = job;
        this.target = target;
        this.token = token;
        this.key = key;
    }

    /** Returns whether its source has lost it. */
    boolean isLost() {
        return target.isRevoked(token);
    }

    /** Gives up the claim if the source has lost the record; true if it has, then nobody works on it any more. */
    boolean dropIfLost() {
        if (!isLost()) {
            return false;
        }
        if (takeClaim()) {
            boolean ignored = target.dropIfRevoked(token);
        }
        return true;
    }

    void abandon() {
        if (takeClaim()) {
            target.abandon(token);
        }
    }

    /** Returns whether the claim is the caller's from now on. Any thread. */
    boolean takeClaim() {
        return ended.compareAndSet(false, true);
    }
}
