package dev.weir.jdbc;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.MetadataClient;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.stream.Sink;
import dev.weir.stream.spi.Thrown;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Stores a group's positions in the database to which a pipeline writes, so that each record takes effect exactly once.
 * {@link #advance} moves the position in the transaction that stores the record's results. Thread-safe.
 *
 * <pre>{@code
 * JdbcOffsets offsets = JdbcOffsets.of(dataSource, settings);
 * KafkaSource.from(settings, Subscription.topics("orders")).plain(offsets)
 *         .to(offsets.sink(500, Duration.ofMillis(200), (connection, orders) -> insert(connection, orders)))
 * }</pre>
 *
 * <p>{@link #sink} runs its own transactions. The rules below apply to pipelines that run transactions themselves and
 * call {@link #advance}.
 *
 * <p>The new owner of a partition takes over its row ({@link #load}). Only the {@code JdbcOffsets} of the current owner
 * can write the row. Write the records of a partition in order, each after the previous one has been committed:
 * {@code mapBlocking(handler)}. Use one {@code JdbcOffsets} per member of the group, for all runs of that member.
 *
 * <p>If a write fails, the stage must fail or retry ({@code Supervision.retry}); it must not skip the record. The
 * results of a skipped record may be lost.
 *
 * <p>The subscription determines the start position of a partition until its first record is written. A start at the
 * end or at a time may differ after a crash.
 *
 * <p>Tested with PostgreSQL at {@code READ COMMITTED}, H2 and SQLite. In any database, the key columns must be compared
 * case-sensitively.
 */
public final class JdbcOffsets implements ExternalOffsets, AutoCloseable {
    // ADR 84 explains how zombies are fenced.

    /** The default name of the table. */
    public static final String TABLE = "weir_offsets";

    /** The position in a row before the first record of its partition is written. */
    public static final long NOTHING_WRITTEN = -1;

    static final int NO_EPOCH = -1;

    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    private final DataSource dataSource;
    private final OffsetTable table;
    private final MetadataClient brokers;

    private final Map<TopicPartition, Claim> claims = new ConcurrentHashMap<>();

    /** The number of revocations of each partition. {@link #load} uses it to detect a revocation during the load. */
    private final Map<TopicPartition, Long> revocations = new ConcurrentHashMap<>();

    /**
     * A partition that this member owns.
     *
     * @param topicId the topic ID in the row
     * @param fence the row's fencing number, which each new owner increments
     * @param before the position before the last call of {@link #advance}
     * @param first the offset of the first record of that call, or {@link #NOTHING_WRITTEN} if there was no call yet
     * @param after the position after that call, unless its transaction was rolled back
     */
    private record Claim(String topicId, long fence, long before, long first, long after) {

        private Claim moved(long from, long record, long to) {
            return new Claim(topicId, fence, from, record, to);
        }
    }

    private JdbcOffsets(DataSource dataSource, OffsetTable table, MetadataClient brokers) {
        this.dataSource = dataSource;
        this.table = table;
        this.brokers = brokers;
    }

    /** Creates an instance with the table {@link #TABLE}; see {@link #of(DataSource, ConsumerSettings, String)}. */
    public static JdbcOffsets of(DataSource dataSource, ConsumerSettings<?, ?> settings) {
        return of(dataSource, settings, TABLE);
    }

    /**
     * Creates an instance for the group of {@code settings}. Does not connect yet.
     *
     * @param dataSource provides the connections for {@link #load} and {@link #sink}; {@link #advance} uses the
     *     caller's connection
     * @param settings the consumer's settings, for the group and for the brokers that provide topic IDs
     * @param table the name of the table, as passed to {@link #tableDefinition}
     */
    public static JdbcOffsets of(DataSource dataSource, ConsumerSettings<?, ?> settings, String table) {
        Objects.requireNonNull(dataSource, "dataSource");
        String group = settings.groupId();
        if (group == null) {
            throw new IllegalArgumentException(
                    "positions in a database need a group, which shares out the partitions: set group.id");
        }
        OffsetTable rows = new OffsetTable(Objects.requireNonNull(table, "table"), group);
        return new JdbcOffsets(dataSource, rows, MetadataClient.of(settings));
    }

    /** Returns the standard SQL statement that creates the table, which all groups share. */
    public static String tableDefinition(String table) {
        return OffsetTable.definition(Objects.requireNonNull(table, "table"));
    }

    // ---- Partitions that come and go -------------------------------------------------------------------------------

    /**
     * Takes over the rows of assigned partitions, creates missing rows, and returns the positions from which to
     * continue. A partition without a stored position starts where the subscription specifies. Fails with a
     * {@link RecreatedTopicException} if a topic was recreated.
     *
     * <p>Waits up to 10 s for a row locked by a transaction of the previous owner. If a partition is revoked meanwhile,
     * this object may still take over its row from the new owner.
     */
    @Override
    public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
        List<TopicPartition> ids = partitions.stream().sorted(ORDER).toList();
        Map<TopicPartition, Long> begun = ids.stream().collect(Collectors.toMap(id -> id, this::timesRevoked));
        // Discard earlier claims. Their fence may be greater than the new one if the row was deleted and created again.
        claims.keySet().removeAll(ids);
        Map<TopicPartition, Claim> claimed = new HashMap<>();
        try {
            Map<String, String> topicIds = topicIds(ids);
            BatchTransactions.<RuntimeException>inTransaction(dataSource, connection -> {
                for (TopicPartition id : ids) {
                    String topicId = Objects.requireNonNull(topicIds.get(id.topic()));
                    claimed.put(id, claim(connection, id, topicId));
                }
            });
        } catch (SQLException failure) {
            throw new KafkaPipelineException(
                    "cannot claim " + ids + " in the table " + table.name() + ": " + Thrown.reason(failure)
                            + "; JdbcOffsets.tableDefinition has the statement that creates it, and a row that another"
                            + " transaction holds is free when that ends",
                    failure);
        }
        claimed.forEach((id, claim) -> claims.compute(
                id, (same, now) -> timesRevoked(id) == begun.getOrDefault(id, 0L) ? later(now, claim) : now));
        return CompletableFuture.completedStage(claimed.entrySet().stream()
                .filter(each -> each.getValue().after() != NOTHING_WRITTEN)
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> Position.offset(each.getValue().after()))));
    }

    private long timesRevoked(TopicPartition id) {
        return revocations.getOrDefault(id, 0L);
    }

    /** Returns the claim with the greater fence, which matches the row. */
    private static Claim later(@Nullable Claim now, Claim claim) {
        return now == null || now.fence() < claim.fence() ? claim : now;
    }

    private Claim claim(Connection connection, TopicPartition id, String topicId) throws SQLException {
        OffsetTable.Row row = table.claim(connection, id, topicId);
        if (!row.topicId().equals(topicId)) {
            boolean bothKnown = isKnown(row.topicId()) && isKnown(topicId);
            if (bothKnown && row.position() != NOTHING_WRITTEN) {
                throw new RecreatedTopicException(
                        id,
                        row.position(),
                        "topic id " + row.topicId() + " in the table " + table.name() + ", now " + topicId,
                        "to read the new topic from its start, delete the rows of the old one while no member runs");
            }
            if (isKnown(topicId)) {
                table.identify(connection, id, topicId);
            }
        }
        String noted = isKnown(topicId) ? topicId : row.topicId();
        return new Claim(noted, row.fence(), row.position(), NOTHING_WRITTEN, row.position());
    }

    /** Returns whether the topic ID is known. Brokers before 2.8 have no topic IDs. */
    private static boolean isKnown(String topicId) {
        return !topicId.equals(Uuid.ZERO_UUID.toString());
    }

    private Map<String, String> topicIds(List<TopicPartition> ids) {
        Map<String, String> texts = new HashMap<>();
        brokers.topicIds(ids.stream().map(TopicPartition::topic).collect(Collectors.toSet()))
                .forEach((topic, answer) -> texts.put(topic, await(topic, answer)));
        return texts;
    }

    private static String await(String topic, CompletionStage<Uuid> answer) {
        try {
            return answer.toCompletableFuture().get().toString();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaPipelineException("interrupted while the brokers were asked for the id of " + topic);
        } catch (ExecutionException failure) {
            throw new KafkaPipelineException(
                    "the brokers do not say which id " + topic + " has: " + failure.getCause(), failure);
        }
    }

    /** Gives up ownership of the partitions. Later writes for them fail. */
    @Override
    public void revoked(Set<TopicPartition> partitions) {
        for (TopicPartition id : Objects.requireNonNull(partitions, "partitions")) {
            // Increment first. A load that is just ending then sees the new count, or adds its claim before the
            // removal.
            revocations.merge(id, 1L, Long::sum);
            claims.remove(id);
        }
    }

    /**
     * Returns whether this member owns the partition; false after a revocation. Throws if its position was never
     * loaded.
     */
    boolean owns(TopicPartition id) {
        if (claims.containsKey(id)) {
            return true;
        }
        if (!revocations.containsKey(id)) {
            throw new IllegalStateException("no source has loaded the position of " + id
                    + ": read with KafkaSource.from(settings, topics).plain(offsets) and the offsets of this sink");
        }
        return false;
    }

    // ---- Writing ---------------------------------------------------------------------------------------------------

    /**
     * Returns a sink that writes each batch of records together with its positions in one transaction. The sink begins
     * and commits the transaction, and rolls it back on any failure.
     *
     * {@snippet :
     * KafkaSource.from(settings, Subscription.topics("orders")).plain(offsets)
     *         .to(offsets.sink(500, Duration.ofMillis(200), (connection, batch) -> shop.insert(connection, batch)))
     *         .run();
     * }
     *
     * <p>There is one transaction at a time, with records of all partitions in order. A failed batch is never skipped:
     * the pipeline fails, and its next run begins with the same batch. A {@code RestartingPipeline} repeats it
     * automatically. Records of a revoked partition are left to its next owner. Connections come from the data source
     * passed to {@link #of(DataSource, ConsumerSettings, String)}.
     *
     * @param max the maximum number of records in a batch, at least 1
     * @param within how long a batch waits for more records after its first; more than zero
     */
    public <K, V> Sink<ConsumerRecord<K, V>> sink(int max, Duration within, BatchWriter<K, V> writer) {
        BatchTransactions<K, V> transactions =
                new BatchTransactions<>(this, dataSource, Objects.requireNonNull(writer, "writer"));
        if (max < 1) {
            throw new IllegalArgumentException("max must be at least 1: max=" + max);
        }
        if (!Objects.requireNonNull(within, "within").isPositive()) {
            throw new IllegalArgumentException("within must be more than zero: within=" + within);
        }
        return Sink.through(records -> records.groupedWithin(max, within)
                .mapBlocking(transactions)
                .named("jdbc")
                .to(Sink.ignore()));
    }

    /** Moves the position past one record; see {@link #advance(Connection, List)}. */
    public void advance(Connection connection, ConsumerRecord<?, ?> record) throws SQLException {
        advance(connection, List.of(Objects.requireNonNull(record, "record")));
    }

    /**
     * Moves the positions past the records, with one statement per partition, in the connection's open transaction.
     * Call this method once per partition and transaction, just before the commit, because it locks the rows. After a
     * rollback, the next call must begin with the same records.
     *
     * @param connection the caller's connection, which must not be in auto-commit mode; it is not closed
     * @param records the records of each partition in order, starting after the committed ones. A missing record counts
     *     as deliberately skipped.
     * @throws PositionConflictException if the records do not follow a partition's position, after a rollback
     */
    public void advance(Connection connection, List<? extends ConsumerRecord<?, ?>> records) throws SQLException {
        if (Objects.requireNonNull(connection, "connection").getAutoCommit()) {
            throw new IllegalStateException("the connection commits each statement by itself, so the position would be"
                    + " stored without the results: call setAutoCommit(false) before the first statement");
        }
        for (List<ConsumerRecord<?, ?>> ofPartition : byPartition(records).values()) {
            move(connection, ofPartition);
        }
    }

    /** Groups records by partition, in sorted order. All transactions lock rows in this order and cannot deadlock. */
    private static SortedMap<TopicPartition, List<ConsumerRecord<?, ?>>> byPartition(
            List<? extends ConsumerRecord<?, ?>> records) {
        SortedMap<TopicPartition, List<ConsumerRecord<?, ?>>> sorted = new TreeMap<>(ORDER);
        for (ConsumerRecord<?, ?> record : Objects.requireNonNull(records, "records")) {
            List<ConsumerRecord<?, ?>> before = sorted.computeIfAbsent(
                    new TopicPartition(record.topic(), record.partition()), id -> new ArrayList<>());
            if (!before.isEmpty() && before.getLast().offset() >= record.offset()) {
                throw new IllegalArgumentException("records must be in the order of their partition: "
                        + record.topic() + "-" + record.partition() + "@" + record.offset() + " comes after @"
                        + before.getLast().offset());
            }
            before.add(record);
        }
        return sorted;
    }

    private void move(Connection connection, List<ConsumerRecord<?, ?>> ofPartition) throws SQLException {
        TopicPartition id = new TopicPartition(
                ofPartition.getFirst().topic(), ofPartition.getFirst().partition());
        long first = ofPartition.getFirst().offset();
        Claim before;
        Claim claim;
        do {
            before = claims.get(id);
            if (before == null) {
                throw conflict(id, first, rollBackAndFind(connection, id), "this member does not have it any more");
            }
            claim = moved(before, first, ofPartition.getLast().offset() + 1);
        } while (!claims.replace(id, before, claim));
        if (claim.first() != first) {
            String reason =
                    "a position does not go back. Records behind it are written already, or were in a transaction"
                            + " that was rolled back and must be tried again from its first record. To write it again"
                            + " on purpose, undo what it did and set the position in " + table.name()
                            + " while no member runs";
            throw conflict(id, first, rollBackAndFind(connection, id), reason);
        }
        Step step = step(id, claim, ofPartition);
        if (!table.advance(connection, step)) {
            // A rejected record from an earlier run must not change the position of the current run.
            claims.replace(id, claim, before);
            throw refused(connection, step);
        }
    }

    private static Step step(TopicPartition id, Claim claim, List<ConsumerRecord<?, ?>> ofPartition) {
        int firstEpoch = NO_EPOCH;
        int lastEpoch = NO_EPOCH;
        for (ConsumerRecord<?, ?> record : ofPartition) {
            lastEpoch = record.leaderEpoch().orElse(lastEpoch);
            firstEpoch = firstEpoch == NO_EPOCH ? lastEpoch : firstEpoch;
        }
        return new Step(id, claim.topicId(), claim.fence(), claim.before(), claim.after(), firstEpoch, lastEpoch);
    }

    private static Claim moved(Claim now, long first, long next) {
        if (first >= now.after()) {
            return now.moved(now.after(), first, next);
        }
        // Only the last move may be repeated, after a rollback. Other moves to an earlier position are rejected.
        return first == now.first() ? now.moved(now.before(), first, next) : now;
    }

    private PositionConflictException refused(Connection connection, Step step) throws SQLException {
        OffsetTable.Row row = rollBackAndFind(connection, step.id());
        String reason;
        if (row == null) {
            reason = "its row in " + table.name() + " is gone";
        } else if (row.fence() != step.fence()) {
            reason = "another member has taken the partition over (fence " + row.fence() + ", ours was " + step.fence()
                    + ")";
        } else if (!row.topicId().equals(step.topicId())) {
            reason = "its row has the topic id " + row.topicId() + ", ours was " + step.topicId();
        } else if (row.position() > step.expected()) {
            reason = "these records are written already";
        } else if (row.position() < step.expected()) {
            reason = "the transaction with the records before these was rolled back and not tried again";
        } else {
            reason = "the record behind it has leader epoch " + step.firstEpoch() + ", lower than " + row.leaderEpoch()
                    + " of one before it, so it is one of another log";
        }
        return conflict(step.id(), step.expected(), row, reason);
    }

    private OffsetTable.@Nullable Row rollBackAndFind(Connection connection, TopicPartition id) throws SQLException {
        connection.rollback();
        OffsetTable.Row row = table.find(connection, id);
        connection.rollback();
        return row;
    }

    private static PositionConflictException conflict(
            TopicPartition id, long expected, OffsetTable.@Nullable Row row, String reason) {
        return new PositionConflictException(id, expected, row == null ? NOTHING_WRITTEN : row.position(), reason);
    }

    /** Closes the client for topic IDs. Database connections belong to the caller. */
    @Override
    public void close() {
        brokers.close();
    }
}
