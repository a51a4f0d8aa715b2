package dev.weir.lean;

import static java.lang.System.Logger.Level.WARNING;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.AgentRunner;

/** Samples of {@code docs/reference/lean.md}. Stateless. */
@SuppressWarnings({"UnusedVariable", "MissingOverride"}) // as brief as the page
final class LeanSamples {

    private LeanSamples() {}

    static void threads(LeanSettings settings) {
        LongAdder sum = new LongAdder();
        LeanThreads threads = LeanThreads.builder(settings)
                .topic("clicks", StartAt.beginning())
                .threads(2)
                .records(thread -> record -> sum.add(record.value().getLong(0)))
                .start();
        threads.completion().toCompletableFuture().join(); // until close(), or the first failure
    }

    static void agent(LeanConsumer consumer, RecordHandler handler) {
        LeanRunner runner = new LeanRunner(consumer, handler);
        AgentRunner agent = new AgentRunner(runner.idleStrategy(), error -> log(error), null, runner);
        AgentRunner.startOnThread(agent); // agent.close() ends it, and closes the consumer
    }

    private static void log(Throwable error) {}

    static void produce(LongAdder written, System.Logger log, byte[] key, byte[] value, long count)
            throws InterruptedException {
        SendListener listener = new SendListener() {
            public void acknowledged(long token, String topic, int partition, long offset) {
                written.increment();
            }

            public void failed(long token, SendException why) {
                log.log(WARNING, "record " + token, why);
            }
        };
        LeanProducerSettings settings = LeanProducerSettings.builder()
                .bootstrapServers("localhost:9092")
                .build();
        try (LeanProducer producer = LeanProducer.open(settings, listener)) {
            LeanRecord record = new LeanRecord("clicks");
            for (long i = 0; i < count; i++) {
                producer.send(record.key(key).value(value), i);
            }
            UnwrittenRecords left = producer.flush(Duration.ofMinutes(1));
        }
    }
}
