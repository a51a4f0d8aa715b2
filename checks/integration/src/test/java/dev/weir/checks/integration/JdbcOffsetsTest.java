package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.jdbc.JdbcOffsets;
import dev.weir.jdbc.PositionConflictException;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Tests which position changes {@link JdbcOffsets} accepts on PostgreSQL, and its messages. */
@Timeout(120)
class JdbcOffsetsTest {

    private static final Pattern SAMPLE = Pattern.compile("```(?:java|sql)\n(.*?)```", Pattern.DOTALL);

    private static Postgres postgres;
    private static KafkaCluster cluster;

    /** The name of the test's topic, group and schema. */
    private String name;

    private DataSource database;
    private TopicPartition partition;

    @BeforeAll
    static void start() {
        postgres = Postgres.startOrSkip();
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    @BeforeEach
    void createTopicAndTables(TestInfo test) {
        String method = test.getTestMethod().orElseThrow().getName();
        name = "of_" + method.substring(0, method.indexOf('_')).toLowerCase(Locale.ROOT);
        cluster.createTopic(name, 2);
        database = postgres.createSchema(
                name, JdbcOffsets.tableDefinition(JdbcOffsets.TABLE), "CREATE TABLE results (number BIGINT NOT NULL)");
        partition = new TopicPartition(name, 0);
    }

    @Test
    void samples_ofTheGuide_areCompiled() throws IOException {
        Path root = Path.of(System.getProperty("weir.root"));
        String compiled = withoutSpace(Files.readString(root.resolve("checks/integration/src/test/java")
                        .resolve(DatabaseSamples.class.getName().replace('.', '/') + ".java"))
                + JdbcOffsets.tableDefinition(JdbcOffsets.TABLE));
        List<String> samples = SAMPLE.matcher(Files.readString(root.resolve("docs/guide/databases.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(samples)
                .hasSize(4)
                .allSatisfy(sample -> assertThat(compiled).as(sample).contains(withoutSpace(sample)));
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void first_assignmentMakesRows_andNextOneGoesOnThere() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            assertThat(load(offsets)).isEmpty();
            assertThat(position(0)).isEqualTo(JdbcOffsets.NOTHING_WRITTEN);
            write(offsets, 0, 3); // a log may have gaps
            write(offsets, 4);
            offsets.revoked(Set.of(partition));
        }
        try (JdbcOffsets offsets = offsets()) {
            assertThat(load(offsets)).containsExactly(Map.entry(partition, Position.offset(5)));
            write(offsets, 5);
        }
        assertThat(results()).isEqualTo(4);
    }

    @Test
    void several_partitionsMoveInOneTransaction() throws Exception {
        TopicPartition second = new TopicPartition(name, 1);
        try (JdbcOffsets offsets = offsets()) {
            var ignored = offsets.load(Set.of(partition, second));
            try (Connection connection = open()) {
                offsets.advance(
                        connection, List.of(record(second, 7, 0), record(partition, 1, 0), record(second, 9, 0)));
                connection.commit();
            }
        }
        assertThat(position(0)).isEqualTo(2);
        assertThat(position(1)).isEqualTo(10);
    }

    @Test
    void rollback_triedAgain_isWrittenOnce() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            write(offsets, 0, 1);
            try (Connection connection = open()) {
                insert(connection, 2);
                offsets.advance(connection, List.of(record(2)));
                connection.rollback();
            }
            write(offsets, 2, 3);
            write(offsets, 4);
        }
        assertThat(results()).isEqualTo(5);
        assertThat(position(0)).isEqualTo(5);
    }

    /** A later write would move the position past the rolled-back records, which would be lost. */
    @Test
    void gap_ofATransactionThatWasRolledBack_isRefused() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            write(offsets, 0, 1);
            try (Connection connection = open()) {
                offsets.advance(connection, List.of(record(2)));
                connection.rollback();
            }
            refuses(offsets, 3)
                    .hasMessage(partition + ": position 3 was expected and 2 was found: the transaction with the"
                            + " records before these was rolled back and not tried again");
        }
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            try (Connection connection = open()) {
                offsets.advance(connection, List.of(record(2), record(3)));
                connection.rollback();
            }
            refuses(offsets, 3).hasMessageContaining("must be tried again from its first record");
            write(offsets, 2, 3);
        }
        assertThat(results()).isEqualTo(4);
    }

    @Test
    void zombie_whosePartitionWasTakenOver_changesNothing() throws Exception {
        try (JdbcOffsets zombie = offsets();
                JdbcOffsets other = offsets()) {
            load(zombie);
            write(zombie, 0, 1);
            assertThat(load(other)).containsValue(Position.offset(2));
            // The write is refused even before the new owner has written.
            refuses(zombie, 2)
                    .hasMessageMatching(Pattern.quote(partition.toString())
                            + ": position 2 was expected and 2 was found: another member has taken the"
                            + " partition over \\(fence \\d+, ours was \\d+\\)")
                    .isInstanceOfSatisfying(PositionConflictException.class, conflict -> {
                        assertThat(conflict.topic()).isEqualTo(name);
                        assertThat(conflict.partition()).isZero();
                        assertThat(conflict.expected()).isEqualTo(2);
                        assertThat(conflict.found()).isEqualTo(2);
                    });
            write(other, 2);
        }
        assertThat(results()).isEqualTo(3);
    }

    @Test
    void deleted_rowsDoNotBringAnOldOwnersFenceBack() throws Exception {
        try (JdbcOffsets zombie = offsets();
                JdbcOffsets other = offsets()) {
            load(zombie);
            Postgres.execute(database, "DELETE FROM weir_offsets");
            assertThat(load(other)).isEmpty();
            refuses(zombie, 0).hasMessageContaining("another member has taken the partition over");
            write(other, 0);
        }
        assertThat(results()).isEqualTo(1);
    }

    /** A thread of an earlier run uses the same object, so the current run's fence does not stop it. */
    @Test
    void leftover_ofAFormerRun_isRefused_andThePresentOneGoesOn() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            load(offsets);
            write(offsets, 0, 1);
            refuses(offsets, 0, 1, 2).hasMessageContaining("are written already");
            write(offsets, 2);
        }
        assertThat(results()).isEqualTo(3);
    }

    /** The group assigns the partition to another member while a load waits for a lock. */
    @Test
    void late_loadClaimsNothingThatWasRevokedMeanwhile() throws Exception {
        try (JdbcOffsets holding = offsets();
                JdbcOffsets late = offsets();
                Connection holder = open()) {
            load(holding);
            write(holding, 0);
            holding.advance(holder, record(1));
            CompletableFuture<Map<TopicPartition, Position>> loaded = CompletableFuture.supplyAsync(() -> load(late));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> loaded.isDone()
                            || Postgres.number(database, "SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
            late.revoked(Set.of(partition));
            holder.commit();
            assertThat(loaded.get(1, TimeUnit.MINUTES)).containsValue(Position.offset(2));
            refuses(late, 2).hasMessageContaining("this member does not have it any more");
            // The late load has fenced the current owner, whose next load takes the row back.
            refuses(holding, 2).hasMessageContaining("another member has taken the partition over");
            load(holding);
            write(holding, 2);
        }
        assertThat(position(0)).isEqualTo(3);
    }

    /** The records were committed, but the response was lost. */
    @Test
    void written_recordsAreRefused() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            write(offsets, 0, 1);
            refuses(offsets, 0, 1).hasMessageContaining(": these records are written already");
            write(offsets, 2);
            refuses(offsets, 0).hasMessageContaining("a position does not go back");
            write(offsets, 3);
        }
        assertThat(results()).isEqualTo(4);
    }

    @Test
    void revoked_partitionIsRefused() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            offsets.revoked(Set.of(partition));
            refuses(offsets, 0)
                    .hasMessage(partition + ": position 0 was expected and none was found: this member does not have"
                            + " it any more");
        }
        assertThat(results()).isZero();
    }

    @Test
    void epoch_thatIsLower_isOneOfAnotherLog() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            try (Connection connection = open()) {
                offsets.advance(connection, record(partition, 0, 7));
                connection.commit();
            }
            try (Connection connection = open()) {
                assertThatThrownBy(() -> offsets.advance(connection, record(partition, 1, 6)))
                        .hasMessageContaining("leader epoch 6, lower than 7");
            }
            // Some brokers report no leader epoch.
            write(offsets, 1);
            try (Connection connection = open()) {
                assertThatThrownBy(() -> offsets.advance(connection, List.of(record(2), record(partition, 3, 6))))
                        .hasMessageContaining("leader epoch 6, lower than 7");
            }
        }
        assertThat(position(0)).isEqualTo(2);
    }

    @Test
    void recreated_topicIsRefused_untilTheRowsAreGone() throws Exception {
        try (JdbcOffsets offsets = offsets()) {
            load(offsets);
            write(offsets, 0, 1);
            cluster.deleteTopic(name);
            cluster.createTopic(name, 2);
            // Waits until the broker knows the new topic.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThatThrownBy(() -> load(offsets))
                            .isInstanceOf(RecreatedTopicException.class)
                            .hasMessageContainingAll(partition + "@2", "weir_offsets", "delete the rows"));
            Postgres.execute(database, "DELETE FROM weir_offsets");
            assertThat(load(offsets)).isEmpty();
        }
    }

    @Test
    void row_thatAnotherTransactionHolds_isWaitedFor_andTold() throws Exception {
        try (JdbcOffsets offsets = offsets();
                Connection holder = open()) {
            load(offsets);
            try (var statement = holder.createStatement()) {
                statement.execute("SET idle_in_transaction_session_timeout = 0");
            }
            offsets.advance(holder, record(0));
            assertThatThrownBy(() -> load(offsets))
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContainingAll("cannot claim [" + partition + "]", "weir_offsets", "another transaction");
        }
    }

    @Test
    void misuse_isRefusedByName() throws Exception {
        assertThatThrownBy(() -> JdbcOffsets.of(
                        database,
                        ConsumerSettings.builder()
                                .bootstrapServers("localhost:9")
                                .build()))
                .hasMessageContaining("set group.id");
        assertThatThrownBy(() -> JdbcOffsets.tableDefinition("offsets; DROP TABLE orders"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("table=offsets; DROP TABLE orders");
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings(), "nowhere")) {
            assertThatThrownBy(() -> load(offsets)).hasMessageContainingAll("nowhere", "tableDefinition");
        }
        try (JdbcOffsets offsets = offsets();
                Connection connection = database.getConnection()) {
            load(offsets);
            assertThatThrownBy(() -> offsets.advance(connection, record(0)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> offsets.advance(connection, List.of(record(1), record(0))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(partition + "@0 comes after @1");
        }
    }

    // ---- Parts -----------------------------------------------------------------------------------------------------

    private ConsumerSettings<byte[], byte[]> settings() {
        return ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(name)
                .build();
    }

    private JdbcOffsets offsets() {
        return JdbcOffsets.of(database, settings());
    }

    private Map<TopicPartition, Position> load(JdbcOffsets offsets) {
        return offsets.load(Set.of(partition)).toCompletableFuture().join();
    }

    private Connection open() throws SQLException {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private ConsumerRecord<byte[], byte[]> record(long offset) {
        return new ConsumerRecord<>(name, 0, offset, new byte[0], new byte[0]);
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition id, long offset, int epoch) {
        return new ConsumerRecord<>(
                id.topic(),
                id.partition(),
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                new byte[0],
                new byte[0],
                new RecordHeaders(),
                Optional.of(epoch));
    }

    private static void insert(Connection connection, long number) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("INSERT INTO results VALUES (" + number + ")");
        }
    }

    private void write(JdbcOffsets offsets, long... numbers) throws SQLException {
        try (Connection connection = open()) {
            for (long number : numbers) {
                insert(connection, number);
            }
            offsets.advance(
                    connection, LongStream.of(numbers).mapToObj(this::record).toList());
            connection.commit();
        }
    }

    /** Checks that a write is refused. The transaction is rolled back, so a later commit stores nothing. */
    private AbstractThrowableAssert<?, ? extends Throwable> refuses(JdbcOffsets offsets, long... numbers)
            throws SQLException {
        try (Connection connection = open()) {
            for (long number : numbers) {
                insert(connection, number);
            }
            var thrown = assertThatThrownBy(() -> offsets.advance(
                            connection,
                            LongStream.of(numbers).mapToObj(this::record).toList()))
                    .isInstanceOf(PositionConflictException.class);
            connection.commit();
            return thrown;
        }
    }

    private long results() {
        return Postgres.number(database, "SELECT count(*) FROM results");
    }

    private long position(int number) {
        return Postgres.number(database, "SELECT next_offset FROM weir_offsets WHERE partition_id = " + number);
    }
}
