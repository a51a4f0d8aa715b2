package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanWorld;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.simulation.Brokers.Refusal;
import dev.weir.simulation.Log;
import dev.weir.simulation.Planted;
import dev.weir.simulation.Topics.Partition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Simulates a lean producer without a thread. A record's value is its number within its partition. */
final class ProducerWorld extends LeanWorld implements SendListener {

    private static final Set<Trouble> TROUBLES =
            EnumSet.complementOf(EnumSet.of(Trouble.RECREATION, Trouble.RETENTION, Trouble.SESSIONS, Trouble.PAUSES));

    private final boolean mayRepeat;
    private final ProducerTopics topics = new ProducerTopics(() -> new IllegalStateException("closed"));
    private final ProducerBatchPool pool;
    private final ProducerEngine engine;
    private final RecordAppender appender;
    private final RecordBytes record = new RecordBytes();
    private final byte[] value = new byte[Long.BYTES + 100];

    private final Map<Integer, Long> sent = new HashMap<>();

    /** Acknowledged records of each partition, in this order. */
    private final Map<Integer, List<Long>> acknowledged = new HashMap<>();

    private final Map<Integer, Set<Long>> ended = new HashMap<>();
    private long open;

    ProducerWorld(long seed, @Nullable Planted planted) {
        super(seed, planted, TROUBLES);
        mayRepeat = troubles.contains(Trouble.FORGOTTEN_PRODUCERS) || troubles.contains(Trouble.UNCLEAN_ELECTIONS);
        LeanProducerSettings settings = LeanProducerSettings.builder()
                .bootstrapServers(process.bootstrap())
                .batchBytes(1_024 + random.nextInt(2_000))
                .bufferBytes(64 * 1_024)
                .maxRequestBytes(8 * 1_024)
                .linger(Duration.ofMillis(random.nextInt(20)))
                .requestTimeout(Duration.ofSeconds(2))
                .deliveryTimeout(Duration.ofMinutes(5))
                .metadataMaxAge(Duration.ofSeconds(2 + random.nextInt(20)))
                .build();
        pool = new ProducerBatchPool(settings.bufferBytes(), settings.batchBytes(), () -> {});
        engine = new ProducerEngine(settings, this, topics, pool, new ProducerProgress(), new ProducerCounters());
        appender = new RecordAppender(pool, settings.maxRequestBytes(), engine::nanoTime, () -> {});
    }

    @Override
    protected boolean isIdle() {
        return engine.turn() == 0;
    }

    @Override
    protected void await(long millis) {
        process.await(millis);
    }

    @Override
    protected void calm() {
        stepUntil(() -> open == 0, () -> "the ends of " + open + " records");
        topic.partitions().forEach(this::checkLog);
    }

    @Override
    protected String course() {
        return super.course() + " " + acknowledged.hashCode();
    }

    @Override
    protected void act() throws InterruptedException {
        dev.weir.lean.internal.producer.ProducerTopic to = topics.of(TOPIC);
        for (int n = random.nextInt(12); n > 0 && to.partitions().length > 0; n--) {
            int partition = random.nextInt(to.partitions().length);
            long number = sent.getOrDefault(partition, 0L);
            ByteBuffer.wrap(value).putLong(0, number);
            record.key.clear();
            record.value.wrap(value, 0, Long.BYTES + random.nextInt(100));
            if (appender.append(to, partition, record, brokers.schedule().now() / MILLI, number << 8 | partition, 0)) {
                sent.put(partition, number + 1);
                open++;
            }
        }
    }

    @Override
    protected void befall(Trouble trouble, Partition partition, int broker, long nanos) {
        switch (trouble) {
            case TIMEOUTS ->
                brokers.refuseNext(random.nextBoolean() ? Refusal.WRITTEN_BUT_TIMED_OUT : Refusal.NOT_LEADER);
            case FORGOTTEN_PRODUCERS -> {
                partition.log().forgetProducers();
                partition.log().append(List.of(new byte[0]));
                process.process().cutOne();
            }
            case UNCLEAN_ELECTIONS -> partition.moveUnclean(broker, random.nextInt(3));
            default -> super.befall(trouble, partition, broker, nanos);
        }
    }

    // ---- What must hold --------------------------------------------------------------------------------------------

    @Override
    public void acknowledged(long token, String name, int partition, long offset) {
        long number = end(token, partition);
        List<Long> before = acknowledged.computeIfAbsent(partition, none -> new ArrayList<>());
        require(
                before.isEmpty() || before.getLast() < number,
                () -> number + " is acknowledged after " + before.getLast() + " of partition " + partition);
        before.add(number);
        Log log = topic.partitions().get(partition).log();
        if (offset >= 0 && !mayRepeat) {
            ByteBuffer there = log.valueAt(offset);
            require(
                    there != null && there.getLong(there.position()) == number,
                    () -> number + " is not at offset " + offset + " of partition " + partition);
        }
    }

    @Override
    public void failed(long token, SendException why) {
        long number = end(token, (int) (token & 255));
        throw new AssertionError(number + " failed: " + why, why);
    }

    private long end(long token, int partition) {
        long number = token >> 8;
        require((token & 255) == partition, () -> token + " ended in partition " + partition);
        require(
                ended.computeIfAbsent(partition, none -> new HashSet<>()).add(number),
                () -> number + " of partition " + partition + " ended twice");
        open--;
        return number;
    }

    /**
     * Checks that a log without losses has all records in order. Each occurs once, unless brokers forgot the producer.
     */
    private void checkLog(Partition partition) {
        Log log = partition.log();
        List<Long> numbers = new ArrayList<>();
        Map<Long, NavigableSet<Long>> lastCopies = new HashMap<>();
        log.records(false).forEach((offset, each) -> {
            if (each.remaining() > 0) {
                long number = each.getLong(each.position());
                numbers.add(number);
                NavigableSet<Long> copies = lastCopies.computeIfAbsent(number, none -> new TreeSet<>());
                if (!log.isLateOfForgotten(offset)) {
                    copies.clear();
                }
                copies.add(offset);
            }
        });
        long count = sent.getOrDefault(partition.number(), 0L);
        if (!mayRepeat) {
            require(numbers.size() == count, () -> numbers.size() + " of " + count + " are in " + partition);
            for (int i = 0; i < count; i++) {
                int at = i;
                require(numbers.get(i) == i, () -> numbers.get(at) + " is at place " + at + " of " + partition);
            }
        } else if (log.cuts() == 0) {
            require(lastCopies.size() == count, () -> "some of " + count + " are not in " + partition);
            checkLastCopies(partition, lastCopies);
        }
    }

    /**
     * Checks the order of all records' last copies. Copies from late requests are excepted.
     *
     * @param lastCopies the offsets of each record's last copy, and of later copies from late requests
     */
    private static void checkLastCopies(Partition partition, Map<Long, NavigableSet<Long>> lastCopies) {
        Long next = Long.MAX_VALUE;
        for (long number = lastCopies.size() - 1L; number >= 0; number--) {
            long older = number;
            Long place = Objects.requireNonNull(lastCopies.get(number)).lower(next);
            require(place != null, () -> older + " stands behind a newer record in " + partition);
            next = place;
        }
    }

    @Override
    protected void closeClient() {
        engine.end();
        engine.run();
    }
}
