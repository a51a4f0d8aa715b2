package dev.weir.jdbc;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.MetadataClient;
import dev.weir.kafka.Position;
import dev.weir.kafka.TopicMadeAnewException;
import java.sql.Connection;
import java.sql.SQLException;
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
 * Positions of a group in a table of the database that a pipeline writes to, so that each record's effect is there
 * exactly once: {@link #advance} moves the position within the transaction that stores the effect. Thread-safe.
 *
 * <pre>{@code
 * JdbcOffsets offsets = JdbcOffsets.of(dataSource, settings);
 * KafkaSource.partitioned(settings, Subscription.topics("orders"), offsets)
 *         .flatMapMerge(Integer.MAX_VALUE, partition -> partition.records()
 *                 .mapBlocking(1, Ordering.input(), order -> store(order))) // advance, then commit
 * }</pre>
 *
 * <p>Whoever gets a partition takes its row over ({@link #load}); from then on nobody else moves that position. Write
 * the records of a partition in their order, each after the one before was committed: {@code mapBlocking(1,
 * Ordering.input(), ...)}. One object serves one member of the group, over all of its runs.
 */
public final class JdbcOffsets implements ExternalOffsets, AutoCloseable {
    // What a zombie could do, and why it cannot: ADR 84.

    /** The table's name unless another one is given. */
    public static final String TABLE = "weir_offsets";

    /** The position in a row of whose partition nothing has been written yet. */
    public static final long NOTHING_WRITTEN = -1;

    static final int NO_EPOCH = -1;

    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    private final DataSource dataSource;
    private final OffsetTable table;
    private final MetadataClient brokers;

    private final Map<TopicPartition, Claim> claims = new ConcurrentHashMap<>();

    /**
     * A partition that this member has.
     *
     * @param fence the row's number of owners when it was claimed
     * @param before the position that the last move began at
     * @param first the first record of it, {@link #NOTHING_WRITTEN} before there was one
     * @param after where it led, unless its transaction was rolled back
     */
    private record Claim(long fence, long before, long first, long after) {}

    private JdbcOffsets(DataSource dataSource, OffsetTable table, MetadataClient brokers) {
        this.dataSource = dataSource;
        this.table = table;
        this.brokers = brokers;
    }

    /** {@link #of(DataSource, ConsumerSettings, String)} with the table {@link #TABLE}. */
    public static JdbcOffsets of(DataSource dataSource, ConsumerSettings<?, ?> settings) {
        return of(dataSource, settings, TABLE);
    }

    /**
     * Positions of the group of {@code settings}. Connects to nothing yet.
     *
     * @param dataSource where {@link #load} gets a connection from; for the rest, connections are the caller's
     * @param settings of the consumer whose positions these are: its group, and brokers that know the topics' ids
     * @param table as in {@link #tableDefinition}
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

    /** The statement that creates the table, for all groups that write to a database; in plain SQL. */
    public static String tableDefinition(String table) {
        return OffsetTable.definition(Objects.requireNonNull(table, "table"));
    }

    // ---- Partitions that come and go -------------------------------------------------------------------------------

    /**
     * Takes over the rows of partitions that have come, creates those that are missing, and says where to go on. A
     * partition of which nothing has been written begins as the subscription says. Fails with a {@link
     * TopicMadeAnewException} if a position is one in a topic that was deleted and made anew since.
     *
     * <p>It waits up to 10 s for a row that a transaction of the former owner holds.
     */
    @Override
    public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
        List<TopicPartition> ids = partitions.stream().sorted(ORDER).toList();
        Map<TopicPartition, Claim> claimed = new HashMap<>();
        try {
            Map<String, String> topicIds = topicIds(ids);
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                try {
                    for (TopicPartition id : ids) {
                        String topicId = Objects.requireNonNull(topicIds.get(id.topic()));
                        claimed.put(id, claim(connection, id, topicId));
                    }
                    connection.commit();
                } catch (SQLException | RuntimeException failure) {
                    rollBack(connection, failure);
                    throw failure;
                }
            }
        } catch (SQLException failure) {
            throw new KafkaPipelineException(
                    "cannot claim " + ids + " in the table " + table.name() + ": " + failure.getMessage()
                            + "; JdbcOffsets.tableDefinition has the statement that creates it, and a row that another"
                            + " transaction holds is free when that ends",
                    failure);
        }
        claims.putAll(claimed);
        return CompletableFuture.completedStage(claimed.entrySet().stream()
                .filter(each -> each.getValue().after() != NOTHING_WRITTEN)
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> Position.offset(each.getValue().after()))));
    }

    private Claim claim(Connection connection, TopicPartition id, String topicId) throws SQLException {
        OffsetTable.Row row = table.claim(connection, id, topicId);
        if (!row.topicId().equals(topicId)) {
            boolean bothKnown = isKnown(row.topicId()) && isKnown(topicId);
            if (bothKnown && row.position() != NOTHING_WRITTEN) {
                throw new TopicMadeAnewException(
                        id,
                        row.position(),
                        "topic id " + row.topicId() + " in the table " + table.name() + ", now " + topicId,
                        "to read the new topic from its start, delete the rows of the old one while no member runs");
            }
            if (isKnown(topicId)) {
                table.identify(connection, id, topicId);
            }
        }
        return new Claim(row.fence(), row.position(), NOTHING_WRITTEN, row.position());
    }

    /** Brokers before 2.8 give topics no id. */
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

    /** Forgets the partitions: writes of theirs that still come fail. */
    @Override
    public void revoked(Set<TopicPartition> partitions) {
        claims.keySet().removeAll(Objects.requireNonNull(partitions, "partitions"));
    }

    // ---- Writing ---------------------------------------------------------------------------------------------------

    /** {@link #advance(Connection, List)} with one record. */
    public void advance(Connection connection, ConsumerRecord<?, ?> record) throws SQLException {
        advance(connection, List.of(Objects.requireNonNull(record, "record")));
    }

    /**
     * Moves the positions past records, one statement for each of their partitions, within the connection's open
     * transaction. Call it last, and commit at once: the rows are locked from here on. If the transaction is rolled
     * back, the same records may be tried again, alone or with others behind them.
     *
     * @param connection the caller's, not in auto-commit mode; stays open
     * @param records those of a partition in its order; they follow on what was committed before. What lies between is
     *     taken for dropped on purpose
     * @throws PositionConflictException if a position is not where these records follow on, and the transaction has
     *     been rolled back
     */
    public void advance(Connection connection, List<? extends ConsumerRecord<?, ?>> records) throws SQLException {
        if (Objects.requireNonNull(connection, "connection").getAutoCommit()) {
            throw new IllegalStateException("the connection commits each statement by itself, so the position would be"
                    + " stored without the results: call setAutoCommit(false) before the first statement");
        }
        for (List<ConsumerRecord<?, ?>> ofPartition : byPartition(records).values()) {
            Step step = step(connection, ofPartition);
            if (!table.advance(connection, step)) {
                throw refused(connection, step);
            }
        }
    }

    /** In an order that is everybody's: two transactions never wait for each other. */
    private static SortedMap<TopicPartition, List<ConsumerRecord<?, ?>>> byPartition(
            List<? extends ConsumerRecord<?, ?>> records) {
        SortedMap<TopicPartition, List<ConsumerRecord<?, ?>>> sorted = new TreeMap<>(ORDER);
        for (ConsumerRecord<?, ?> record : Objects.requireNonNull(records, "records")) {
            List<ConsumerRecord<?, ?>> before = sorted.computeIfAbsent(
                    new TopicPartition(record.topic(), record.partition()), id -> new ArrayList<>());
            if (!before.isEmpty() && before.getLast().offset() >= record.offset()) {
                throw new IllegalArgumentException("records must be in the order of their partition: "
                        + record.topic() + "-" + record.partition() + "@" + record.offset() + " stands behind @"
                        + before.getLast().offset());
            }
            before.add(record);
        }
        return sorted;
    }

    private Step step(Connection connection, List<ConsumerRecord<?, ?>> ofPartition) throws SQLException {
        ConsumerRecord<?, ?> first = ofPartition.getFirst();
        ConsumerRecord<?, ?> last = ofPartition.getLast();
        TopicPartition id = new TopicPartition(first.topic(), first.partition());
        long next = last.offset() + 1;
        Claim claim = claims.computeIfPresent(id, (same, now) -> moved(now, first.offset(), next));
        if (claim == null) {
            throw conflict(
                    id, first.offset(), rollBackAndFind(connection, id), "this member does not have it any more");
        }
        if (first.offset() != claim.first()) {
            String reason =
                    "a position does not go back. Records behind it are written already, or were in a transaction"
                            + " that was rolled back and is to be tried again from its first record on. To write it again on"
                            + " purpose, undo what it did and set the position in " + table.name()
                            + " while no member runs";
            throw conflict(id, first.offset(), rollBackAndFind(connection, id), reason);
        }
        return new Step(id, claim.fence(), claim.before(), next, epoch(first), epoch(last));
    }

    private static Claim moved(Claim now, long first, long next) {
        if (first >= now.after()) {
            return new Claim(now.fence(), now.after(), first, next);
        }
        // The last move again, because its transaction was rolled back; or else not to be made.
        return first == now.first() ? new Claim(now.fence(), now.before(), first, next) : now;
    }

    private static int epoch(ConsumerRecord<?, ?> record) {
        return record.leaderEpoch().orElse(NO_EPOCH);
    }

    private PositionConflictException refused(Connection connection, Step step) throws SQLException {
        OffsetTable.Row row = rollBackAndFind(connection, step.id());
        String reason;
        if (row == null) {
            reason = "its row in " + table.name() + " is gone";
        } else if (row.fence() != step.fence()) {
            reason = "another member has taken the partition over (fence " + row.fence() + ", ours was " + step.fence()
                    + ")";
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

    private static void rollBack(Connection connection, Exception failure) {
        try {
            connection.rollback();
        } catch (SQLException alsoFailed) {
            failure.addSuppressed(alsoFailed);
        }
    }

    /** Closes the client that asks brokers for topics' ids. Connections are the caller's. */
    @Override
    public void close() {
        brokers.close();
    }
}
