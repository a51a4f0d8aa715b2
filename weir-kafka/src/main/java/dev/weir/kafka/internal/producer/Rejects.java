package dev.weir.kafka.internal.producer;

import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.internal.failure.Forwarder;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.function.BiFunction;

/** Elements whose records cannot be written, until they stand in a dead-letter topic. Confined to the segment's thread. */
final class Rejects<T> {

    private final Forwarder forwarder;
    private final BiFunction<? super T, Throwable, FailedRecord> asFailed;
    private Batch<FailedRecord> rejected = new Batch<>(0);

    Rejects(Forwarder forwarder, BiFunction<? super T, Throwable, FailedRecord> asFailed) {
        this.forwarder = forwarder;
        this.asFailed = asFailed;
    }

    void add(T element, Exception refusal, AckTarget target, long token) {
        rejected.add(asFailed.apply(element, refusal), target, token);
    }

    /** Returns when all that was added before is written somewhere and acknowledged. */
    void settle() throws InterruptedException {
        if (!rejected.isEmpty()) {
            Batch<FailedRecord> all = rejected;
            rejected = new Batch<>(0);
            forwarder.deliver(all);
        }
    }
}
