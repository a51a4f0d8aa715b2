package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A separate PostgreSQL server on a free loopback port, from the system's package. Confined to the test's thread, which
 * closes it.
 */
final class Postgres implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int STARTS = 3;

    private static final String MISSING = "no PostgreSQL under /usr/lib/postgresql: apt-get install postgresql";

    /** PostgreSQL refuses to run as root. Its package creates this user. */
    private static final List<String> AS_ITS_USER =
            List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--");

    private final Path binaries;
    private final Path folder;
    private final boolean asRoot;
    private int port;
    private @Nullable Process server;

    private Postgres(Path binaries) throws IOException {
        this.binaries = binaries;
        this.folder = Files.createTempDirectory("weir-postgres-");
        this.asRoot = "root".equals(System.getProperty("user.name"));
    }

    private void initialize() {
        try {
            startFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startFirst() throws IOException {
        if (asRoot) {
            UserPrincipal user =
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres");
            Files.setOwner(folder, user);
        }
        String options = "-A trust -U weir -E UTF8 --locale=C --no-sync -D " + data();
        server = process("initdb", options.split(" "));
        assertThat(exitCode(server)).as(log()).isZero();
        for (int left = STARTS; ; left--) {
            port = freePort();
            if (startServer()) {
                return;
            }
            // Another process may have taken the port.
            assertThat(left).as(log()).isGreaterThan(1);
        }
    }

    /** Starts a server. If the package is not installed, the test is skipped; with {@code CI=true}, it fails. */
    static Postgres startOrSkip() {
        Optional<Path> binaries = binaries();
        if (binaries.isEmpty()) {
            assertThat(System.getenv("CI")).as(MISSING).isNotEqualTo("true");
            Assumptions.abort(MISSING);
        }
        Postgres postgres;
        try {
            postgres = new Postgres(binaries.orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            postgres.initialize();
            return postgres;
        } catch (Throwable failure) {
            try {
                postgres.close();
            } catch (RuntimeException | AssertionError alsoFailed) {
                failure.addSuppressed(alsoFailed);
            }
            throw failure;
        }
    }

    private static Optional<Path> binaries() {
        Path versions = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(versions)) {
            return Optional.empty();
        }
        try (Stream<Path> all = Files.list(versions)) {
            return all.map(version -> version.resolve("bin"))
                    .filter(bin ->
                            Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.comparingInt(Postgres::version));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the version in a folder's name such as 15/bin; 9.6 counts as 9. */
    private static int version(Path bin) {
        String name = bin.getName(bin.getNameCount() - 2).toString().replaceAll("\\D.*", "");
        return name.isEmpty() ? 0 : Integer.parseInt(name);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Path data() {
        return folder.resolve("data");
    }

    private Process process(String name, String... options) throws IOException {
        List<String> command = new ArrayList<>(asRoot ? AS_ITS_USER : List.of());
        command.add(binaries.resolve(name).toString());
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    /** Returns true when the server is ready, or false if it has ended. */
    private boolean startServer() throws IOException {
        Process started = process(
                "postgres",
                "-D",
                data().toString(),
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off");
        server = started;
        Awaitility.await().atMost(PATIENCE).until(() -> !started.isAlive() || isUp());
        return started.isAlive();
    }

    private boolean isUp() {
        try (Connection connection = dataSource("public").getConnection()) {
            return connection.isValid(5);
        } catch (SQLException notYet) {
            return false;
        }
    }

    /** Stops the server. All connections end, but committed data is kept. */
    void stop() {
        Process running = Objects.requireNonNull(server);
        try {
            // Requests an immediate shutdown. SIGTERM would wait for all clients to disconnect.
            Process signal = new ProcessBuilder("kill", "-QUIT", Long.toString(running.pid()))
                    .inheritIO()
                    .start();
            assertThat(exitCode(signal)).isZero();
            exitCode(running);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            running.destroyForcibly().onExit().join();
        }
    }

    void startAgain() {
        try {
            assertThat(startServer()).as(log()).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int exitCode(Process process) {
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Returns connections to the schema. The server ends a transaction that is idle for 5 s. */
    DataSource dataSource(String schema) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(schema));
        return source;
    }

    String url(String schema) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=weir&currentSchema=" + schema
                + "&options=-c%20idle_in_transaction_session_timeout=5000";
    }

    DataSource createSchema(String schema, String... definitions) {
        DataSource source = dataSource(schema);
        execute(source, "CREATE SCHEMA " + schema);
        for (String definition : definitions) {
            execute(source, definition);
        }
        return source;
    }

    static void execute(DataSource source, String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** Returns the single number that the query yields. */
    static long number(DataSource source, String query) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).as(query).isTrue();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(query, e);
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        try {
            if (server != null && server.isAlive()) {
                stop();
            }
        } finally {
            deleteFolder();
        }
    }

    private void deleteFolder() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
