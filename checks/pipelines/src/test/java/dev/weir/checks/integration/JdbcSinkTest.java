package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.jdbc.BatchWriter;
import dev.weir.jdbc.JdbcOffsets;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.control.StageControl;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.h2.jdbc.JdbcArray;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteDataSource;

/**
 * Tests the transactions of {@link JdbcOffsets#sink} on three databases. {@link JdbcOffsetsTest} tests the positions.
 */
@Timeout(120)
class JdbcSinkTest {

    enum Kind {
        H2,
        SQLITE,
        POSTGRESQL
    }

    private static final AtomicInteger NAMES = new AtomicInteger();

    private static KafkaCluster cluster;

    @TempDir
    private static Path folder;

    private final String name = "sink_" + NAMES.incrementAndGet();

    @BeforeAll
    static void start() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static DataSource h2(String name) {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setUrl("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        return h2;
    }

    private static DataSource sqlite(String name) {
        SQLiteDataSource sqlite = new SQLiteDataSource();
        sqlite.setUrl("jdbc:sqlite:" + folder.resolve(name + ".db"));
        return sqlite;
    }

    private static DataSource prepared(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(JdbcOffsets.tableDefinition(JdbcOffsets.TABLE));
            statement.execute("CREATE TABLE results (number BIGINT NOT NULL)");
        }
        return database;
    }

    private ConsumerSettings<byte[], byte[]> settings() {
        return ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(name)
                .build();
    }

    private static void insert(Connection connection, List<? extends ConsumerRecord<byte[], byte[]>> batch)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO results (number) VALUES (?)")) {
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                insert.setLong(1, Long.parseLong(new String(record.value(), StandardCharsets.US_ASCII)));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private static List<Long> results(DataSource database) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT number FROM results ORDER BY number")) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    /** The failure occurs after the insert. Without a rollback, the batch would be inserted twice. */
    @ParameterizedTest
    @EnumSource
    void batchThatFails_isRolledBack_andComesAgainInTheNextRun(Kind kind) throws Exception {
        if (kind == Kind.POSTGRESQL) {
            try (Postgres postgres = Postgres.startOrSkip()) {
                failAndRunAgain(prepared(postgres.createSchema(name)));
            }
        } else {
            failAndRunAgain(prepared(kind == Kind.H2 ? h2(name) : sqlite(name)));
        }
    }

    private void failAndRunAgain(DataSource database) throws Exception {
        cluster.createTopic(name, 2);
        Records.produce(cluster.bootstrapServers(), name, 0, 1_000);
        Subscription topic = Subscription.topics(name);
        AtomicInteger batches = new AtomicInteger();
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            Sink<ConsumerRecord<byte[], byte[]>> failing =
                    offsets.sink(100, Duration.ofMillis(200), (connection, batch) -> {
                        insert(connection, batch);
                        if (batches.incrementAndGet() == 4) {
                            throw new SQLException("disk full");
                        }
                    });
            assertThatThrownBy(() -> KafkaSource.from(settings(), topic)
                            .plain(offsets)
                            .to(failing)
                            .run()
                            .await())
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("cannot write " + name + "-")
                    .hasMessageContaining("in one transaction: disk full");
            assertThat(results(database)).hasSizeBetween(1, 300).doesNotHaveDuplicates();

            try (RunningPipeline again = KafkaSource.from(settings(), topic)
                    .plain(offsets)
                    .to(offsets.sink(100, Duration.ofMillis(200), JdbcSinkTest::insert))
                    .run()) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> results(database).size() >= 1_000);
                assertThat(again.drain(Duration.ofSeconds(30)).drained()).isTrue();
            }
        }
        assertThat(results(database))
                .containsExactlyElementsOf(LongStream.range(0, 1_000).boxed().toList());
    }

    private ConsumerRecord<byte[], byte[]> record(int partition, long number) {
        return new ConsumerRecord<>(
                name, partition, number, new byte[0], Long.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    private static void write(
            JdbcOffsets offsets, List<ConsumerRecord<byte[], byte[]>> records, BatchWriter<byte[], byte[]> writer)
            throws InterruptedException {
        Source.from(records)
                .to(offsets.sink(10, Duration.ofMillis(200), writer))
                .run()
                .await();
    }

    /** Regression: an exception from {@code getMessage} replaced the failure. */
    @Test
    void writerThatThrowsAnUnreadableException_failsNamingTheRecords() throws Exception {
        @SuppressWarnings("serial")
        class Unreadable extends RuntimeException {
            @Override
            public String getMessage() {
                throw new UnsupportedOperationException("no message");
            }
        }
        cluster.createTopic(name, 1);
        try (JdbcOffsets offsets = JdbcOffsets.of(prepared(h2(name)), settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            assertThatThrownBy(() -> write(offsets, List.of(record(0, 0)), (connection, batch) -> {
                        throw new Unreadable();
                    }))
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("cannot write " + name + "-0@0 in one transaction")
                    .hasMessageContaining("Unreadable cannot be read");
        }
    }

    @Test
    void writerThatEndsTheTransaction_isRefused_andNothingIsWritten() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        List<BatchWriter<byte[], byte[]>> ends = List.of(
                (connection, batch) -> connection.commit(),
                (connection, batch) -> connection.rollback(),
                (connection, batch) -> connection.close(),
                (connection, batch) -> connection.setAutoCommit(true),
                (connection, batch) ->
                        connection.createStatement().getConnection().commit(),
                (connection, batch) ->
                        connection.prepareStatement("SELECT 1").getConnection().rollback(),
                (connection, batch) -> connection.getMetaData().getConnection().setAutoCommit(true),
                (connection, batch) -> connection
                        .createStatement()
                        .executeQuery("SELECT 1")
                        .getStatement()
                        .getConnection()
                        .close(),
                (connection, batch) -> connection.unwrap(Connection.class).commit(),
                (connection, batch) -> connection.unwrap(JdbcConnection.class).commit(),
                (connection, batch) -> connection
                        .createStatement()
                        .unwrap(Statement.class)
                        .getConnection()
                        .commit());
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            for (BatchWriter<byte[], byte[]> end : ends) {
                BatchWriter<byte[], byte[]> writer = (connection, batch) -> {
                    insert(connection, batch);
                    end.write(connection, batch);
                };
                assertThatThrownBy(() -> write(offsets, List.of(record(0, 0)), writer))
                        .hasMessageContaining("the sink owns the transaction, so its writer must not call ");
            }
            assertThat(results(database)).isEmpty();
        }
    }

    /** An interface of a driver's connections, such as PGConnection. */
    public interface OfDriver {

        String version();

        Connection physical();

        JdbcArray array();

        <T> T read(Class<T> type);

        /** Returns the arguments as the driver gets them. */
        Object[] echo(Object[] attributes);
    }

    private static DataSource ofDriver(Connection connection) {
        var loader = JdbcSinkTest.class.getClassLoader();
        Object driver = Proxy.newProxyInstance(
                loader, new Class<?>[] {OfDriver.class}, (self, method, args) -> switch (method.getName()) {
                    case "version" -> "7";
                    case "array", "read" -> connection.createArrayOf("BIGINT", new Object[] {7L});
                    case "echo" -> args[0];
                    default -> connection;
                });
        Connection shown = (Connection) Proxy.newProxyInstance(
                loader, new Class<?>[] {Connection.class}, (self, method, args) -> switch (method.getName()) {
                    case "unwrap" -> driver;
                    case "close" -> null;
                    default -> method.invoke(connection, args);
                });
        return (DataSource)
                Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class}, (self, method, args) -> shown);
    }

    @Test
    void interfaceOfADriver_canBeUnwrapped_andLeadsToNoOtherConnection() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        List<String> versions = new ArrayList<>();
        try (JdbcOffsets offsets = JdbcOffsets.of(ofDriver(database.getConnection()), settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            assertThatThrownBy(() -> write(offsets, List.of(record(0, 0)), (connection, batch) -> {
                        versions.add(connection.unwrap(OfDriver.class).version());
                        connection.unwrap(OfDriver.class).physical().commit();
                    }))
                    .hasMessageContaining("the sink owns the transaction, so its writer must not call commit");
        }
        assertThat(versions).containsExactly("7");
    }

    /** Regression: a driver got a proxy as an attribute of a struct. */
    @Test
    void arraysWithinAnArgument_reachTheDriverAsItsOwn() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        List<Object> written = new ArrayList<>();
        try (JdbcOffsets offsets = JdbcOffsets.of(ofDriver(database.getConnection()), settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            write(offsets, List.of(record(0, 0)), (connection, batch) -> {
                Array array = connection.createArrayOf("BIGINT", new Object[] {7L});
                OfDriver driver = connection.unwrap(OfDriver.class);
                Collections.addAll(written, driver.echo(new Object[] {1, null, array}));
                Collections.addAll(written, driver.echo(new Array[] {array}));
                Collections.addAll(written, driver.echo(new Object[] {new Object[] {array}}));
            });
        }
        assertThat(written).hasSize(5).element(0).isEqualTo(1);
        assertThat(List.of(written.get(2), written.get(3), ((Object[]) written.get(4))[0]))
                .hasOnlyElementsOfType(JdbcArray.class);
    }

    /**
     * Regression: the refusal named {@code unwrap} instead of the called method, or the writer got an array of another
     * class.
     */
    @Test
    void classOfADriver_isRefusedWithTheCalledMethod_andItsInterfaceIsNot() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        List<Object> read = new ArrayList<>();
        Map<String, BatchWriter<byte[], byte[]>> refused = Map.of(
                "array",
                (connection, batch) ->
                        read.add(connection.unwrap(OfDriver.class).array()),
                "read",
                (connection, batch) -> {
                    JdbcArray array = connection.unwrap(OfDriver.class).read(JdbcArray.class);
                    read.add(array);
                });
        try (JdbcOffsets offsets = JdbcOffsets.of(ofDriver(database.getConnection()), settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            refused.forEach((method, writer) -> assertThatThrownBy(() -> write(offsets, List.of(record(0, 0)), writer))
                    .hasMessageContaining("must not call " + method + " for the class " + JdbcArray.class.getName()
                            + ", only for an interface"));
            write(
                    offsets,
                    List.of(record(0, 0)),
                    (connection, batch) -> read.add(((Object[]) connection
                                    .unwrap(OfDriver.class)
                                    .read(Array.class)
                                    .getArray())
                            [0]));
        }
        assertThat(read).containsExactly(7L);
    }

    @Test
    void savepoint_isTheWritersOwn() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            write(offsets, List.of(record(0, 0), record(0, 1)), (connection, batch) -> {
                insert(connection, batch.subList(0, 1));
                var savepoint = connection.setSavepoint();
                insert(connection, batch.subList(1, 2));
                connection.rollback(savepoint);
            });
        }
        assertThat(results(database)).containsExactly(0L);
    }

    /** Without the positions, the sink would drop every record. */
    @Test
    void sourceThatDoesNotLoadThePositions_isRefused() throws Exception {
        cluster.createTopic(name, 1);
        Records.produce(cluster.bootstrapServers(), name, 0, 10);
        DataSource database = prepared(h2(name));
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            assertThatThrownBy(() -> KafkaSource.from(
                                    settings(), Subscription.topics(name).untilEnd())
                            .atLeastOnce()
                            .to(offsets.sink(10, Duration.ofMillis(200), JdbcSinkTest::insert))
                            .run()
                            .await())
                    .hasMessageContaining("no source has loaded the position of " + name + "-0");
        }
        assertThat(cluster.committedOffsets(name).values()).allMatch(committed -> committed == 0);
    }

    /** Regression: a console raised the parallelism, and a transaction began before the previous one was committed. */
    @Test
    void transactions_haveNoParallelismToRaise() throws Exception {
        try (JdbcOffsets offsets = JdbcOffsets.of(prepared(h2(name)), settings())) {
            RunningPipeline running = Source.<ConsumerRecord<byte[], byte[]>>empty()
                    .to(offsets.sink(1, Duration.ofMillis(200), JdbcSinkTest::insert))
                    .run();
            running.await();
            assertThat(running.handles(StageControl.class)).isEmpty();
        }
    }

    /** The records of the lost partition violate a constraint, because its next owner has written them. */
    @Test
    void writerThatFails_asAPartitionHasGone_writesTheOthers() throws Exception {
        cluster.createTopic(name, 2);
        DataSource database = prepared(h2(name));
        TopicPartition first = new TopicPartition(name, 0);
        TopicPartition second = new TopicPartition(name, 1);
        AtomicBoolean isGone = new AtomicBoolean();
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            var ignored = offsets.load(Set.of(first, second));
            write(offsets, List.of(record(0, 0), record(1, 1), record(0, 2)), (connection, batch) -> {
                insert(connection, batch);
                if (isGone.compareAndSet(false, true)) {
                    offsets.revoked(Set.of(first));
                    throw new SQLException("duplicate key");
                }
            });
        }
        assertThat(results(database)).containsExactly(1L);
    }

    @Test
    void partitionThatGoesDuringATransaction_isLeftToItsNextOwner_andTheOthersAreWritten() throws Exception {
        cluster.createTopic(name, 2);
        DataSource database = prepared(h2(name));
        TopicPartition first = new TopicPartition(name, 0);
        TopicPartition second = new TopicPartition(name, 1);
        AtomicBoolean isGone = new AtomicBoolean();
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings())) {
            var ignored = offsets.load(Set.of(first, second));
            write(offsets, List.of(record(0, 0), record(1, 1), record(0, 2)), (connection, batch) -> {
                insert(connection, batch);
                if (isGone.compareAndSet(false, true)) {
                    offsets.revoked(Set.of(first));
                }
            });
            assertThat(results(database)).containsExactly(1L);
            assertThat(offsets.load(Set.of(first, second)).toCompletableFuture().join())
                    .isEqualTo(Map.of(second, Position.offset(2)));
        }
    }

    /** A pool with one connection, whose state it does not reset. */
    private static DataSource poolOf(Connection connection) {
        return poolOf(connection, () -> null);
    }

    private static DataSource poolOf(Connection connection, Callable<@Nullable Void> close) {
        Connection borrowed = (Connection) Proxy.newProxyInstance(
                JdbcSinkTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, args) ->
                        method.getName().equals("close") ? close.call() : method.invoke(connection, args));
        return (DataSource) Proxy.newProxyInstance(
                JdbcSinkTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    assertThat(method.getName()).isEqualTo("getConnection");
                    return borrowed;
                });
    }

    /** Regression: the next user of the connection had to commit explicitly. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionOfAPool_goesBackWithTheAutoCommitThatItHad(boolean autoCommit) throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        try (Connection connection = database.getConnection();
                JdbcOffsets offsets = JdbcOffsets.of(poolOf(connection), settings())) {
            connection.setAutoCommit(autoCommit);
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            assertThat(connection.getAutoCommit()).as("after a load").isEqualTo(autoCommit);
            write(offsets, List.of(record(0, 0)), JdbcSinkTest::insert);
            assertThat(connection.getAutoCommit()).as("after a batch").isEqualTo(autoCommit);
            assertThatThrownBy(() -> write(offsets, List.of(record(0, 1)), (same, batch) -> {
                        insert(same, batch);
                        throw new SQLException("disk full");
                    }))
                    .hasMessageContaining("disk full");
            assertThat(connection.getAutoCommit()).as("after a failure").isEqualTo(autoCommit);
        }
        assertThat(results(database)).containsExactly(0L);
    }

    /** Regression: the pipeline failed with "cannot write", although the batch was written. */
    @Test
    void connection_thatCannotBeClosedAfterTheCommit_failsNothing() throws Exception {
        cluster.createTopic(name, 1);
        DataSource database = prepared(h2(name));
        Callable<@Nullable Void> broken = () -> {
            throw new SQLException("closed by the server");
        };
        try (Connection connection = database.getConnection();
                JdbcOffsets offsets = JdbcOffsets.of(poolOf(connection, broken), settings())) {
            var ignored = offsets.load(Set.of(new TopicPartition(name, 0)));
            write(offsets, List.of(record(0, 0)), JdbcSinkTest::insert);
            assertThatThrownBy(() -> write(offsets, List.of(record(0, 1)), (same, batch) -> {
                        throw new SQLException("disk full");
                    }))
                    .hasMessageContaining("disk full");
        }
        assertThat(results(database)).containsExactly(0L);
    }
}
