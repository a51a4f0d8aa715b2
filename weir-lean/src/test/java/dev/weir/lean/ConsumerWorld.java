package dev.weir.lean;

import dev.weir.simulation.Log;
import dev.weir.simulation.Planted;
import dev.weir.simulation.Topics.Partition;
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
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Simulates a lean consumer. Each record has a unique number. */
final class ConsumerWorld extends LeanWorld {

    private static final Set<Trouble> TROUBLES =
            EnumSet.complementOf(EnumSet.of(Trouble.TIMEOUTS, Trouble.FORGOTTEN_PRODUCERS));

    private record Expected(int partition, long offset, long number) {}

    private static final long WRITER = 500;

    /** A record, with its partition and the number of earlier recreations of its topic. */
    private record Written(int recreations, int partition, long number) {}

    private final LeanConsumer consumer;
    private final boolean committed;
    private int recreations;
    private long nextNumber;
    private int sequence;
    private final Map<Long, Written> written = new HashMap<>();
    private final Set<Long> aborted = new HashSet<>();
    private final Map<Integer, List<Long>> open = new HashMap<>();

    /** The last delivered record number for each offset of the current topic, by partition. */
    private final Map<Integer, TreeMap<Long, Long>> delivered = new HashMap<>();

    private final Map<Integer, Long> last = new HashMap<>();
    private final Map<Integer, Integer> goneBack = new HashMap<>();
    private int ticks;

    ConsumerWorld(long seed, @Nullable Planted planted) {
        super(seed, planted, TROUBLES);
        committed = random.nextBoolean();
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

    @Override
    protected void act() {
        if (random.nextInt(3) == 0) {
            write(topic.partitions().get(random.nextInt(topic.partitions().size())));
        }
    }

    @Override
    protected boolean isIdle() {
        return consumer.poll(this::deliver) == 0;
    }

    @Override
    protected void await(long millis) {
        consumer.await(Duration.ofMillis(millis));
    }

    @Override
    protected String course() {
        return super.course() + " " + delivered.hashCode();
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

    @Override
    protected void befall(Trouble trouble, Partition partition, int broker, long nanos) {
        switch (trouble) {
            case UNCLEAN_ELECTIONS -> {
                int missing = random.nextInt(4);
                // Without its marker, a transaction would stay open forever.
                if (random.nextInt(4) == 0 && partition.log().isPlain(missing)) {
                    partition.moveUnclean(broker, missing);
                }
            }
            case RECREATION -> {
                if (ticks++ % 8 == 0) {
                    recreate(broker, nanos);
                }
            }
            case RETENTION -> partition.log().retain(1 + random.nextInt(8));
            case SESSIONS -> brokers.forgetSessions(broker);
            case PAUSES -> pause();
            default -> super.befall(trouble, partition, broker, nanos);
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

    @Override
    protected void calm() {
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
        // No more records are written, so these must all be delivered. The consumer may read a truncated log again and
        // receive other records at the same offsets, so remember every delivered record.
        ArrayDeque<Expected> missing = expected();
        stepUntil(
                () -> {
                    while (!missing.isEmpty() && isDelivered(missing.element())) {
                        missing.remove();
                    }
                    return missing.isEmpty();
                },
                () -> "the delivery of " + missing.peek());
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

    /** Returns all records that the consumer must have in the end. */
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

    @Override
    protected void closeClient() {
        consumer.close();
    }
}
