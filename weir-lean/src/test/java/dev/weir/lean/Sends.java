package dev.weir.lean;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;

/**
 * Numbered records for a {@link WrittenLog}, and their outcomes. A record's number is its value and its token.
 * Thread-safe.
 */
final class Sends implements SendListener {

    static final Duration LONG = Duration.ofMinutes(1);

    final WrittenLog log = new WrittenLog();
    final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    final Queue<Long> failed = new ConcurrentLinkedQueue<>();
    final Queue<SendException> failures = new ConcurrentLinkedQueue<>();

    @Override
    public void acknowledged(long token, String topic, int partition, long offset) {
        acknowledged.add(token);
    }

    @Override
    public void failed(long token, SendException why) {
        failed.add(token);
        failures.add(why);
    }

    /** Returns settings with a short linger and a short backoff. */
    static LeanProducerSettings.Builder settings(String bootstrap) {
        return LeanProducerSettings.builder()
                .bootstrapServers(bootstrap)
                .linger(Duration.ofMillis(1))
                .maxBackoff(Duration.ofMillis(10));
    }

    static void send(LeanProducer producer, int partition, long first, long count) throws Exception {
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES);
        LeanRecord record =
                new LeanRecord(FakeBroker.TOPIC).partition(partition).value(value);
        for (long n = first; n < first + count; n++) {
            value.putLong(0, n);
            producer.send(record, n);
        }
    }

    static List<Long> numbers(long first, long count) {
        return LongStream.range(first, first + count).boxed().toList();
    }

    /** Delays the broker's responses until the producer has sent the given number of further requests. */
    void hold(FakeBroker broker, LeanProducer producer, int requests) {
        long wanted = producer.metrics().requests() + requests;
        broker.produces(request -> {
            long deadlineNanos = System.nanoTime() + LONG.toNanos();
            while (producer.metrics().requests() < wanted && System.nanoTime() < deadlineNanos) {
                Thread.onSpinWait();
            }
            return log.answer(request);
        });
    }
}
