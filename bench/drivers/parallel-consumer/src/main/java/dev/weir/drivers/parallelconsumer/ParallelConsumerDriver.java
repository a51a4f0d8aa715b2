package dev.weir.drivers.parallelconsumer;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerFailure;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import io.confluent.parallelconsumer.PCRetriableException;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelEoSStreamProcessor;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code ParallelStreamProcessor.poll}, or {@code pollAndProduce} for a copy. Confined to the main thread; the
 * processor has its own threads.
 */
final class ParallelConsumerDriver implements Driver {

    /** Interval between checks whether the library has failed. */
    private static final long LOOK_MILLIS = 100;

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.STEADY, Scenario.AT_LEAST_ONCE, Scenario.WORK, Scenario.COPY);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.RETRIES, Feature.TOPICS);
    }

    // Sets the default retry delay, because the library's idle loop sleeps for this time. Version 0.5.3.3 has no
    // replacement for this deprecated method.
    @SuppressWarnings("deprecation")
    private static void retryAfter(
            Duration delay, ParallelConsumerOptions.ParallelConsumerOptionsBuilder<byte[], byte[]> options) {
        options.defaultMessageRetryDelay(delay);
    }

    @Override
    public void run(Pass pass) {
        Map<String, Object> config = new HashMap<>(pass.clientConfig().consumerOfLibrary(Map.of()));
        var options = ParallelConsumerOptions.<byte[], byte[]>builder()
                .consumer(new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()))
                .ordering(
                        switch (pass.options().ordering()) {
                            case PARTITION -> ParallelConsumerOptions.ProcessingOrder.PARTITION;
                            case KEY -> ParallelConsumerOptions.ProcessingOrder.KEY;
                            case NONE -> ParallelConsumerOptions.ProcessingOrder.UNORDERED;
                        })
                .maxConcurrency(pass.options().concurrency())
                .commitInterval(Duration.ofMillis(pass.options().commitIntervalMillis()))
                .commitMode(ParallelConsumerOptions.CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS);
        retryAfter(Duration.ofMillis(pass.options().retryMillis()), options);
        if (pass.configuration().scenario() == Scenario.COPY) {
            options.producer(new KafkaProducer<>(
                    new HashMap<>(pass.clientConfig().producer(Map.of())),
                    new ByteArraySerializer(),
                    new ByteArraySerializer()));
        }
        ParallelEoSStreamProcessor<byte[], byte[]> processor = new ParallelEoSStreamProcessor<>(options.build());
        processor.subscribe(pass.topics().names());
        if (pass.configuration().scenario() == Scenario.COPY) {
            String output = pass.outputTopic();
            processor.pollAndProduce(context -> new ProducerRecord<>(
                    output, context.getSingleConsumerRecord().partition(), context.key(), pass.step(context.value())));
        } else {
            handle(processor, pass);
        }
        try {
            while (!pass.awaitDone(LOOK_MILLIS)) {
                pass.fail(failure(processor));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pass.requireNoFailure(); // reports the cause, and not that a processor that has failed cannot be closed
        // Finished records are committed. All others are dropped, because their handlers could take minutes.
        processor.closeDontDrainFirst();
    }

    /** Returns why the processor has ended by itself; null while it runs. */
    static @Nullable Throwable failure(ParallelEoSStreamProcessor<byte[], byte[]> processor) {
        if (!processor.isClosedOrFailed()) {
            return null;
        }
        Exception cause = processor.getFailureCause();
        Throwable root = cause;
        while (root != null && root.getCause() != null) {
            root = root.getCause(); // the others only say which of the library's threads ended
        }
        return new IllegalStateException("its processor ended: " + root, cause);
    }

    private static void handle(ParallelStreamProcessor<byte[], byte[]> processor, Pass pass) {
        HandlerWork work = pass.work();
        processor.poll(context -> {
            byte[] value = context.value();
            ConsumerRecord<byte[], byte[]> record = context.getSingleConsumerRecord();
            int partition = pass.topics().number(record.topic(), record.partition());
            work.on(value);
            try {
                pass.attempted(partition, value);
            } catch (HandlerFailure failed) {
                // This exception makes the library retry the record.
                throw new PCRetriableException(failed);
            }
            pass.deliveredConcurrently(partition, context.key(), value);
        });
    }
}
