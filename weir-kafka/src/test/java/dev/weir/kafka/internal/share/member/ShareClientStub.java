package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ShareGroupConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidRecordStateException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A share consumer of one partition, without brokers. It fetches like Kafka's share consumer 4.4. It answers a renewal
 * at the second call after it, and forgets records of a refused renewal. Thread-safe.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // a lock of its own
final class ShareClientStub extends MockShareConsumer<byte[], byte[]> {

    /** Time for which a quota made a broker delay a response. */
    volatile double throttledMillis;

    static final TopicIdPartition PARTITION = new TopicIdPartition(new Uuid(1, 2), 0, "orders");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final int lockMillis;
    private final int pollRecords;
    private final @Nullable KafkaException refusal;
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile boolean joined;

    // Guarded by the lock.
    private final Deque<ConsumerRecord<byte[], byte[]>> atBroker = new ArrayDeque<>();
    private final Deque<ConsumerRecord<byte[], byte[]>> buffer = new ArrayDeque<>();
    private final Map<Long, ConsumerRecord<byte[], byte[]>> inFlight = new LinkedHashMap<>();
    private final Map<Long, ConsumerRecord<byte[], byte[]>> renewing = new LinkedHashMap<>();
    private final Map<Long, ConsumerRecord<byte[], byte[]>> renewed = new LinkedHashMap<>();
    private final Map<Long, AcknowledgeType> acknowledged = new LinkedHashMap<>();
    private final List<String> told = new ArrayList<>();
    private @Nullable AcknowledgementCommitCallback callback;
    private boolean asking;
    private boolean closed;
    private int acquired;
    private int calls;
    private int renewedAtCall;
    private boolean refusesRenewals;

    ShareClientStub(Map<String, Object> config, int lockMillis, @Nullable KafkaException refusal) {
        this.pollRecords = (int) Objects.requireNonNull(config.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG));
        this.lockMillis = lockMillis;
        this.refusal = refusal;
    }

    static ConsumerRecord<byte[], byte[]> record(long offset, int delivery) {
        return new ConsumerRecord<>(
                PARTITION.topic(),
                PARTITION.partition(),
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                new byte[0],
                new byte[0],
                new RecordHeaders(),
                Optional.empty(),
                Optional.of((short) delivery));
    }

    /** The configuration of a group, as far as share consumers use it. */
    static ShareGroupConfig group(int deliveryLimit, boolean renewsLocks) {
        return ShareGroupConfig.of(
                "earliest", true, Duration.ofSeconds(30), deliveryLimit, 2_000, "read_committed", renewsLocks);
    }

    /** Waits until the assertion holds. */
    static void until(Runnable assertion) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
        while (true) {
            try {
                assertion.run();
                return;
            } catch (AssertionError notYet) {
                if (System.nanoTime() - deadline >= 0) {
                    throw notYet;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    private <T> T locked(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a record that the broker can deliver. */
    void produce(ConsumerRecord<byte[], byte[]> record) {
        lock.lock();
        try {
            atBroker.add(record);
            receive();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a record to the client's buffer, as if fetched while a poll returned records. */
    void fetchAhead(ConsumerRecord<byte[], byte[]> record) {
        lock.lock();
        try {
            buffer.add(record);
            acquired++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the acknowledgements that reached the brokers, as {@code offset TYPE}. */
    List<String> told() {
        return locked(() -> List.copyOf(told));
    }

    /** Makes the group's brokers renew no locks from now on. */
    void refuseRenewals() {
        lock.lock();
        try {
            refusesRenewals = true;
        } finally {
            lock.unlock();
        }
    }

    int acquired() {
        return locked(() -> acquired);
    }

    int calls() {
        return locked(() -> calls);
    }

    boolean isClosed() {
        return locked(() -> closed);
    }

    private void receive() {
        if (!asking) {
            return;
        }
        for (int i = 0; i < pollRecords && !atBroker.isEmpty(); i++) {
            buffer.add(atBroker.remove());
            acquired++;
            asking = false;
        }
        changed.signalAll();
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        lock.lock();
        try {
            heard();
            if (refusal != null) {
                throw refusal;
            }
            if (acknowledged.size() != inFlight.size()) {
                throw new IllegalStateException("not all records were acknowledged");
            }
            send();
            if (!renewing.isEmpty() || !renewed.isEmpty()) {
                inFlight.putAll(renewed);
                renewed.clear();
                if (!renewing.isEmpty()) {
                    asking = true;
                    receive();
                }
                return records();
            }
            long left = timeout.toNanos();
            while (buffer.isEmpty() && left > 0) {
                asking = true;
                receive();
                if (woken.getAndSet(false)) {
                    throw new WakeupException();
                }
                left = buffer.isEmpty() ? changed.awaitNanos(left) : 0;
            }
            if (buffer.isEmpty()) {
                asking = true;
                receive();
                return records(); // the next poll returns what was just received
            }
            for (int i = 0; i < pollRecords && !buffer.isEmpty(); i++) {
                ConsumerRecord<byte[], byte[]> next = buffer.remove();
                inFlight.put(next.offset(), next);
            }
            return records();
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } finally {
            lock.unlock();
        }
    }

    private ConsumerRecords<byte[], byte[]> records() {
        TopicPartition partition = PARTITION.topicPartition();
        return inFlight.isEmpty()
                ? ConsumerRecords.empty()
                : new ConsumerRecords<>(
                        Map.of(partition, List.copyOf(inFlight.values())), Map.of(partition, new OffsetAndMetadata(0)));
    }

    private void send() {
        acknowledged.forEach((offset, type) -> {
            ConsumerRecord<byte[], byte[]> record = Objects.requireNonNull(inFlight.remove(offset));
            told.add(offset + " " + type.name());
            if (type == AcknowledgeType.RENEW) {
                renewing.put(offset, record);
                renewedAtCall = calls;
            } else {
                answer(Set.of(offset), null);
            }
        });
        acknowledged.clear();
    }

    private void heard() {
        calls++;
        changed.signalAll();
        if (!renewing.isEmpty() && calls > renewedAtCall + 1) {
            Set<Long> offsets = Set.copyOf(renewing.keySet());
            if (!refusesRenewals) {
                renewed.putAll(renewing);
            }
            renewing.clear();
            answer(offsets, refusesRenewals ? new InvalidRecordStateException("renewals are off") : null);
        }
    }

    private void answer(Set<Long> offsets, @Nullable Exception failure) {
        if (callback != null) {
            callback.onComplete(Map.of(PARTITION, offsets), failure);
        }
    }

    @Override
    public void acknowledge(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
        lock.lock();
        try {
            if (!inFlight.containsKey(record.offset())) {
                throw new IllegalStateException("not acquired: " + record.offset());
            }
            acknowledged.put(record.offset(), type);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void commitAsync() {
        lock.lock();
        try {
            heard();
            send();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
        commitAsync();
        return Map.of();
    }

    @Override
    public void setAcknowledgementCommitCallback(AcknowledgementCommitCallback newCallback) {
        lock.lock();
        try {
            callback = newCallback;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Integer> acquisitionLockTimeoutMs() {
        return Optional.of(lockMillis);
    }

    @Override
    public void wakeup() {
        lock.lock();
        try {
            woken.set(true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close(Duration timeout) {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        Metric rebalances = metric("rebalance-total", joined ? 1.0 : 0.0);
        Metric throttled = metric("fetch-throttle-time-max", throttledMillis);
        return Map.of(rebalances.metricName(), rebalances, throttled.metricName(), throttled);
    }

    private static Metric metric(String name, double value) {
        MetricName metricName = new MetricName(name, "", "", Map.of());
        return new Metric() {
            @Override
            public MetricName metricName() {
                return metricName;
            }

            @Override
            public Object metricValue() {
                return value;
            }
        };
    }

    /** Notes that the group has assigned partitions to this share consumer. */
    void joined() {
        joined = true;
    }
}
