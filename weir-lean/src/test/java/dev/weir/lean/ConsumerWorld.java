package dev.weir.lean;

import dev.weir.simulation.Brokers;
import dev.weir.simulation.Log;
import dev.weir.simulation.Planted;
import dev.weir.simulation.Topics.Partition;
import dev.weir.simulation.Topics.Topic;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lean consumer among simulated brokers. A seed decides about the topic, the writers, the settings and what goes
 * wrong. Each record has a number of its own, so that the checks know which one was delivered.
 */
final class ConsumerWorld implements AutoCloseable {

    /** A class of faults; most worlds have one or two. */
    enum Trouble {
        CONNECTIONS,
        SILENCE,
        RESTARTS,
        ELECTIONS,
        STALE_METADATA,
        UNCLEAN_ELECTIONS,
        RECREATION,
        RETENTION,
        MORE_PARTITIONS,
        SESSIONS,
        QUOTAS,
        PAUSES
    }

    private record Expected(int partition, long offset, long number) {}

    private static final String TOPIC = "t";
    private static final int BROKERS = 3;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long MAX_STEP_NANOS = 20 * MILLI;
    private static final long MAX_CALM_NANOS = 300 * SECOND;
    private static final long WRITER = 500;

    /** A record, and the partition of the topic with that number of recreations in which it was written. */
    private record Written(int recreations, int partition, long number) {}

    private final Random random;
    private final Brokers brokers;
    private final SimulatedProcess process;
    private final Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    private final LeanConsumer consumer;
    private final boolean committed;
    private Topic topic;
    private int recreations;
    private long nextNumber;
    private int sequence;
    private final Map<Long, Written> written = new HashMap<>();
    private final Set<Long> aborted = new HashSet<>();
    private final Map<Integer, List<Long>> open = new HashMap<>();

    /** The number of the record that was delivered last for each offset of the topic that there is now. */
    private final Map<Integer, TreeMap<Long, Long>> delivered = new HashMap<>();

    private final Map<Integer, Long> last = new HashMap<>();
    private final Map<Integer, Integer> goneBack = new HashMap<>();
    private int ticks;

    ConsumerWorld(long seed, @Nullable Planted planted) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        brokers = new Brokers(random, BROKERS);
        topic = brokers.topics().create(TOPIC, 1 + random.nextInt(4));
        Trouble[] all = Trouble.values();
        for (int n = random.nextInt(3); n > 0; n--) {
            troubles.add(all[random.nextInt(all.length)]);
        }
        committed = random.nextBoolean();
        if (planted != null) {
            brokers.plant(planted);
        }
        process = new SimulatedProcess(brokers, random, "consumer");
        consumer = LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(process.bootstrap())
                .readCommitted(committed)
                .onOffsetLost(OffsetLostPolicy.BEGINNING)
                .maxPollRecords(1 + random.nextInt(50))
                .maxFetchWait(Duration.ofMillis(1 + random.nextInt(500)))
                .maxFetchBytes(2_000 + random.nextInt(20_000))
                .requestTimeout(Duration.ofSeconds(5))
                .metadataMaxAge(Duration.ofSeconds(2 + random.nextInt(10)))
                .build());
        consumer.assign(TOPIC, StartAt.beginning());
    }

    Set<Trouble> troubles() {
        return troubles;
    }

    void run() {
        int steps = 200 + random.nextInt(400);
        for (int i = 0; i < steps; i++) {
            if (random.nextInt(3) == 0) {
                write(topic.partitions().get(random.nextInt(topic.partitions().size())));
            }
            if (random.nextInt(12) == 0) {
                troubles.forEach(this::befall);
            }
            step();
        }
        calm();
        long until = brokers.schedule().now() + MAX_CALM_NANOS;
        // Nothing is written from here on. What is delivered may be taken back by a log that the consumer reads again.
        ArrayDeque<Expected> missing = expected();
        while (!missing.isEmpty()) {
            require(brokers.schedule().now() < until, () -> "not read in time: " + missing.peek());
            step();
            while (!missing.isEmpty() && isDelivered(missing.element())) {
                missing.remove();
            }
        }
    }

    /** Distinguishes this run from others. */
    String course() {
        return brokers.schedule().now() + " " + brokers.network().opened() + " "
                + brokers.network().answers() + " " + delivered.hashCode();
    }

    private void step() {
        int polls = 0;
        while (consumer.poll(this::deliver) > 0) {
            require(++polls < 10_000, () -> "polls without an end at the same time");
        }
        consumer.await(Duration.ofMillis(1 + random.nextLong(MAX_STEP_NANOS / MILLI)));
    }

    // ---- Writers ---------------------------------------------------------------------------------------------------

    private void write(Partition to) {
        Log log = to.log();
        List<Long> openHere = open.get(to.number());
        if (openHere != null && random.nextBoolean()) {
            boolean commits = random.nextBoolean();
            log.endTransaction(WRITER, commits);
            open.remove(to.number());
            if (!commits) {
                aborted.addAll(openHere);
            }
        } else if (openHere != null || random.nextInt(3) == 0) {
            List<byte[]> records = records(to, false);
            log.appendInTransaction(WRITER, sequence++, records);
            List<Long> numbers = open.computeIfAbsent(to.number(), none -> new ArrayList<>());
            records.forEach(record -> numbers.add(ByteBuffer.wrap(record).getLong()));
        } else if (random.nextInt(4) == 0) {
            log.appendCompacted(records(to, true));
        } else {
            log.append(records(to, false));
        }
    }

    private List<byte[]> records(Partition to, boolean gaps) {
        List<byte[]> records = new ArrayList<>();
        for (int n = 1 + random.nextInt(20); n > 0; n--) {
            boolean gap = gaps && !records.isEmpty() && n > 1 && random.nextInt(3) == 0;
            records.add(gap ? new byte[0] : record(to));
        }
        return records;
    }

    private byte[] record(Partition to) {
        long number = nextNumber++;
        written.put(number, new Written(recreations, to.number(), number));
        return ByteBuffer.allocate(Long.BYTES).putLong(0, number).array();
    }

    // ---- Troubles --------------------------------------------------------------------------------------------------

    private void befall(Trouble trouble) {
        Partition partition =
                topic.partitions().get(random.nextInt(topic.partitions().size()));
        int broker = 1 + random.nextInt(BROKERS);
        long some = (long) Math.pow(10, random.nextInt(4)) * 10 * MILLI;
        switch (trouble) {
            case CONNECTIONS -> process.process().cutOne();
            case SILENCE -> process.process().silenceOne();
            case RESTARTS -> brokers.network().restart(broker, some);
            case ELECTIONS -> partition.moveTo(broker);
            case STALE_METADATA -> {
                brokers.topics().cutOff(broker, some);
                partition.moveTo(broker % BROKERS + 1);
            }
            case UNCLEAN_ELECTIONS -> {
                int missing = random.nextInt(4);
                // A transaction whose marker is lost would be open for good.
                if (random.nextInt(4) == 0 && partition.log().isPlain(missing)) {
                    partition.moveUnclean(broker, missing);
                }
            }
            case RECREATION -> {
                if (ticks++ % 8 == 0) {
                    recreate(broker, some);
                }
            }
            case RETENTION -> partition.log().retain(1 + random.nextInt(8));
            case MORE_PARTITIONS -> {
                if (topic.partitions().size() < 8) {
                    brokers.topics().grow(topic, 1);
                }
            }
            case SESSIONS -> brokers.forgetSessions(broker);
            case QUOTAS -> brokers.throttle(2, random.nextInt(1_000));
            case PAUSES -> pause();
        }
    }

    private void recreate(int staleBroker, long staleNanos) {
        if (random.nextBoolean()) {
            brokers.topics().cutOff(staleBroker, staleNanos);
        }
        topic = brokers.topics().create(TOPIC, topic.partitions().size());
        recreations++;
        open.clear();
        delivered.clear();
        last.clear();
        goneBack.clear();
    }

    private void pause() {
        int index = consumer.index(TOPIC, random.nextInt(topic.partitions().size()));
        if (index >= 0 && consumer.isPaused(index)) {
            consumer.resume(index);
        } else if (index >= 0) {
            consumer.pause(index);
        }
    }

    private void calm() {
        troubles.clear();
        for (Partition partition : topic.partitions()) {
            if (open.containsKey(partition.number())) {
                partition.log().endTransaction(WRITER, true);
            }
            int index = consumer.index(TOPIC, partition.number());
            if (index >= 0) {
                consumer.resume(index);
            }
        }
        open.clear();
    }

    // ---- What must hold --------------------------------------------------------------------------------------------

    private void deliver(RecordView record) {
        long number = record.value().getLong(0);
        int partition = record.partition();
        long offset = record.offset();
        Written from = Objects.requireNonNull(written.get(number), "a record that nobody wrote");
        String where = record.topic() + "-" + partition + "@" + offset;
        require(from.partition == partition, () -> where + " is of partition " + from.partition);
        require(!committed || !aborted.contains(number), () -> where + " is of a transaction that was aborted");
        require(!consumer.isPaused(record.index()), () -> where + " is delivered though its partition is paused");
        if (from.recreations < recreations) {
            return;
        }
        int cuts = topic.partitions().get(partition).log().cuts();
        long before = last.getOrDefault(partition, -1L);
        if (offset <= before) {
            require(
                    goneBack.merge(partition, 1, Integer::sum) <= cuts,
                    () -> where + " follows " + before + ", and the log lost records only " + cuts + " times");
        }
        last.put(partition, offset);
        delivered.computeIfAbsent(partition, none -> new TreeMap<>()).put(offset, number);
    }

    /** All records that a reader has to have in the end. */
    private ArrayDeque<Expected> expected() {
        ArrayDeque<Expected> all = new ArrayDeque<>();
        for (Partition partition : topic.partitions()) {
            partition
                    .log()
                    .records(committed)
                    .forEach((offset, value) ->
                            all.add(new Expected(partition.number(), offset, value.getLong(value.position()))));
        }
        return all;
    }

    private boolean isDelivered(Expected record) {
        TreeMap<Long, Long> here = delivered.get(record.partition);
        Long number = here == null ? null : here.get(record.offset);
        return number != null && number == record.number;
    }

    private void require(boolean holds, Supplier<String> violation) {
        if (!holds) {
            throw new AssertionError(violation.get());
        }
    }

    @Override
    public void close() {
        consumer.close();
        require(process.process().connections() == 0, () -> "connections are left");
        process.close();
    }
}
