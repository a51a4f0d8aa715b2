package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.SimulatedProcess;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.simulation.Brokers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * A producer without a thread, with simulated brokers. Responses arrive only when a test lets time pass. A first record
 * is written to both partitions, so that several batches can be in flight.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class ProducerEngineCase {

    static final String TOPIC = "t";
    static final Duration DELIVERY_TIMEOUT = Duration.ofMinutes(2);

    final List<String> told = new ArrayList<>();

    /** The exceptions of abandoned records. */
    final List<SendException> reasons = new ArrayList<>();

    final Random random = new Random(7);
    final Brokers brokers = new Brokers(random, 2);
    final SimulatedProcess process = new SimulatedProcess(brokers, random, "producer");
    final LeanProducerSettings settings = settings(Duration.ZERO);
    final ProducerCounters counters = new ProducerCounters();
    ProducerTopics topics = new ProducerTopics(() -> new IllegalStateException("closed"));
    ProducerBatchPool pool = new ProducerBatchPool(settings.bufferBytes(), settings.batchBytes(), () -> {});
    final ProducerProgress changes = new ProducerProgress();
    ProducerEngine engine = new ProducerEngine(settings, listener(), topics, pool, changes, counters);
    RecordAppender appender = new RecordAppender(pool, settings.maxRequestBytes(), engine::nanoTime, () -> {});

    /** Thrown by the listener for each outcome. */
    @Nullable
    RuntimeException fault;

    /** Number of outcomes after which the producer ends. */
    int endsAfter = Integer.MAX_VALUE;

    LeanProducerSettings settings(Duration linger) {
        return LeanProducerSettings.builder()
                .bootstrapServers(process.bootstrap())
                .batchBytes(1_024)
                .bufferBytes(64 * 1_024)
                .maxRequestBytes(8 * 1_024)
                .linger(linger)
                .deliveryTimeout(DELIVERY_TIMEOUT)
                .build();
    }

    /** Replaces the producer with one whose batches wait for further records. */
    void reopen(Duration linger) throws Exception {
        reopen(settings(linger));
    }

    void reopen(LeanProducerSettings others) throws Exception {
        end();
        topics = new ProducerTopics(() -> new IllegalStateException("closed"));
        pool = new ProducerBatchPool(others.bufferBytes(), others.batchBytes(), () -> {});
        engine = new ProducerEngine(others, listener(), topics, pool, new ProducerProgress(), counters);
        appender = new RecordAppender(pool, others.maxRequestBytes(), engine::nanoTime, () -> {});
        writeTheFirst();
    }

    SendListener listener() {
        return new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int partition, long offset) {
                tell(token + " written");
            }

            @Override
            public void failed(long token, SendException why) {
                reasons.add(why);
                tell(token + (why.mayBeWritten() ? " may be written" : " is not written"));
            }
        };
    }

    void tell(String outcome) {
        told.add(outcome);
        if (told.size() >= endsAfter) {
            engine.end();
        }
        if (fault != null) {
            throw fault;
        }
    }

    /** Writes a first record to both partitions, so that several batches can be in flight. */
    @BeforeEach
    void writeTheFirstRecords() throws Exception {
        brokers.topics().create(TOPIC, 2);
        writeTheFirst();
    }

    void writeTheFirst() throws Exception {
        ProducerTopic topic = topics.of(TOPIC);
        while (!topic.has(1)) {
            pass();
        }
        send(0, -2);
        send(1, -1);
        awaitTold(2);
        assertThat(told).containsExactlyInAnyOrder("-2 written", "-1 written");
        told.clear();
    }

    @AfterEach
    void close() {
        end();
        process.close();
    }

    void end() {
        engine.end();
        engine.run();
    }

    void turn() {
        while (engine.turn() > 0) {
            // Repeat until nothing more is possible at this time.
        }
    }

    void pass() {
        turn();
        process.await(1);
    }

    void awaitTold(int count) {
        while (told.size() < count) {
            pass();
        }
    }

    void passUntil(BooleanSupplier condition) {
        for (int passes = 0; !condition.getAsBoolean(); passes++) {
            assertThat(passes).as("simulated milliseconds").isLessThan(100_000);
            pass();
        }
    }

    ProducerPartition partition(int number) {
        return topics.of(TOPIC).partitions()[number];
    }

    void append(int partition, long token) throws InterruptedException {
        append(partition, token, new byte[] {1});
    }

    void append(int partition, long token, byte[] value) throws InterruptedException {
        RecordBytes record = new RecordBytes();
        record.key.clear();
        record.value.wrap(value, 0, value.length);
        assertThat(appender.append(topics.of(TOPIC), partition, record, LeanRecord.NOW, token, 0))
                .isTrue();
    }

    /** Sends a batch of one record. Returns before the response. */
    ProducerBatch send(int partition, long token) throws InterruptedException {
        append(partition, token);
        turn();
        ProducerBatch batch = partition(partition).flying.peekLast();
        while (batch == null) {
            pass();
            batch = partition(partition).flying.peekLast();
        }
        assertThat(batch.token(0)).isEqualTo(token);
        return batch;
    }

    void refuse(ProducerBatch batch, Errors error) {
        engine.refused(
                partition(0),
                batch,
                new PartitionProduceResponse().setErrorCode(error.code()).setBaseOffset(-1));
    }
}
