package dev.weir.examples.pipelines;

import dev.weir.console.ConsoleServer;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/** Loads a CSV file of payments into a table, with a hundred rows per statement. */
public final class CsvToJdbc {

    private static final Logger LOG = System.getLogger(CsvToJdbc.class.getName());

    /** A payment. */
    private record Payment(long id, String customer, long cents) {}

    /** Opens connections, for example from a pool. */
    @FunctionalInterface
    public interface Connections {
        /** Opens a connection. The pipeline opens one for each batch, and closes it after the batch. */
        Connection open() throws SQLException;
    }

    private CsvToJdbc() {}

    /** Loads the file named by the first argument into the database named by the second, a JDBC URL. */
    public static void main(String[] args) throws IOException, InterruptedException, SQLException {
        String usage = "CsvToJdbc FILE [JDBC-URL]";
        Usage.check(args.length == 1 || args.length == 2, usage);
        Path file = Path.of(args[0]);
        Usage.check(Files.isRegularFile(file) && Files.isReadable(file), usage + ": cannot read " + file);
        String database = args.length < 2 ? "jdbc:h2:./payments" : args[1];
        try {
            createTable(() -> DriverManager.getConnection(database));
        } catch (SQLException e) {
            Usage.check(false, usage + ": cannot use " + database + ": " + e.getMessage());
        }
        try (Dispatcher jdbc = Dispatcher.fixed("jdbc", 2);
                RunningPipeline running = pipeline(file, () -> DriverManager.getConnection(database), jdbc)
                        .run()
                        .drainOnShutdown();
                ConsoleServer console = ConsoleServer.builder().port(9500).start(running)) {
            LOG.log(Level.INFO, "console at {0}", console.uri());
            running.await();
        }
    }

    /** Creates the table of payments. */
    public static void createTable(Connections connections) throws SQLException {
        try (Connection connection = connections.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS payments (id BIGINT, customer VARCHAR(100), cents BIGINT)");
        }
    }

    /** Returns a pipeline that loads all lines of the file as rows. The first line contains the column names. */
    public static Pipeline pipeline(Path file, Connections connections, Dispatcher jdbc) {
        return Source.resource(
                        () -> open(file), reader -> Optional.ofNullable(reader.readLine()), BufferedReader::close)
                .map(CsvToJdbc::parse)
                .named("parse")
                .grouped(100)
                .mapBlocking(2, Ordering.unordered(), payments -> insert(payments, connections))
                .with(Attributes.NONE.withDispatcher(jdbc))
                .named("insert")
                .to(Sink.ignore());
    }

    private static BufferedReader open(Path file) throws IOException {
        BufferedReader reader = Files.newBufferedReader(file);
        String ignored = reader.readLine();
        return reader;
    }

    private static Payment parse(String line) {
        String[] fields = line.split(",", -1);
        return new Payment(Long.parseLong(fields[0]), fields[1], Long.parseLong(fields[2]));
    }

    private static int insert(List<Payment> payments, Connections connections) throws SQLException {
        try (Connection connection = connections.open();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO payments VALUES (?, ?, ?)")) {
            for (Payment payment : payments) {
                insert.setLong(1, payment.id());
                insert.setString(2, payment.customer());
                insert.setLong(3, payment.cents());
                insert.addBatch();
            }
            return insert.executeBatch().length;
        }
    }
}
