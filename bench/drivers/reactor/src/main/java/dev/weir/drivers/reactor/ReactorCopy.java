package dev.weir.drivers.reactor;

import dev.weir.driver.Pass;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.kafka.receiver.ReceiverOffset;
import reactor.kafka.receiver.ReceiverRecord;
import reactor.kafka.sender.KafkaSender;
import reactor.kafka.sender.SenderRecord;
import reactor.kafka.sender.SenderResult;

/**
 * Connects {@code receive} to {@code send} and acknowledges written records. It does nothing in scenarios other than a
 * copy. Confined to the main thread; Reactor's schedulers run the stream.
 */
final class ReactorCopy implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();

    private final Pass pass;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private @Nullable KafkaSender<byte[], byte[]> sender;

    ReactorCopy(Pass pass) {
        this.pass = pass;
    }

    Flux<SenderResult<ReceiverOffset>> of(Flux<ReceiverRecord<byte[], byte[]>> records) {
        Map<String, Object> config = new HashMap<>(pass.clientConfig().producer(Map.of()));
        KafkaSender<byte[], byte[]> made = KafkaSender.create(ReactorDriver.options(config, pass));
        sender = made;
        String output = pass.outputTopic();
        return made.send(records.filter(record -> begins()).map(record -> copied(record, output)))
                .doOnNext(result -> {
                    result.correlationMetadata().acknowledge();
                    written.incrementAndGet();
                });
    }

    /** Counts another record and returns true; once the pass is over, only returns false. */
    private boolean begins() {
        if (pass.isDone()) {
            return false;
        }
        taken.incrementAndGet();
        return true;
    }

    private SenderRecord<byte[], byte[], ReceiverOffset> copied(ReceiverRecord<byte[], byte[]> record, String output) {
        return SenderRecord.create(
                output, record.partition(), null, record.key(), pass.step(record.value()), record.receiverOffset());
    }

    /** Waits until all taken records are acknowledged. */
    void awaitWritten() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (written.get() < taken.get()) {
            pass.requireNoFailure();
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException(
                        "it has written " + written + " of " + taken + " records, and no more for a while");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    @Override
    public void close() {
        KafkaSender<byte[], byte[]> made = sender;
        if (made != null) {
            made.close();
        }
    }
}
