package dev.weir.testkit.internal;

import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;

/**
 * The main class of a forked broker that runs another Kafka release. Its class path has that release's jars, so it uses
 * only the server's main class and public interfaces of the clients. Its only argument is a file with server settings.
 */
public final class ReleaseMain {
    static final String SERVER = "kafka.Kafka";

    private static final Duration START_DEADLINE = Duration.ofMinutes(2);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

    private ReleaseMain() {}

    public static void main(String[] args) throws IOException {
        OwnerPipe owner = OwnerPipe.open();
        Runtime.getRuntime().addShutdownHook(new Thread(ReleaseMain::haltAfterDeadline, "stop-deadline"));
        try {
            Properties settings = read(Path.of(args[0]));
            serve(args[0]);
            awaitServing(settings);
        } catch (ReflectiveOperationException e) {
            owner.fail(new IllegalStateException("its class path has no Kafka server, class " + SERVER, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            owner.fail(e);
        } catch (RuntimeException | IOException e) {
            owner.fail(e);
        }
        owner.ready();
        owner.awaitEnd();
        System.exit(0); // runs the server's shutdown hook
    }

    /** Runs the server on its own thread. A server that cannot start logs the reason and terminates the process. */
    private static void serve(String settingsFile) throws ReflectiveOperationException {
        Method main = Class.forName(SERVER).getMethod("main", String[].class);
        Thread.ofPlatform().name("kafka").daemon().start(() -> {
            try {
                main.invoke(null, (Object) new String[] {settingsFile});
            } catch (InvocationTargetException | IllegalAccessException e) {
                e.printStackTrace(System.err);
                Runtime.getRuntime().halt(1);
            }
        });
    }

    /** Waits until the broker responds on its first listener and lists itself among the brokers of the cluster. */
    private static void awaitServing(Properties settings) throws InterruptedException {
        String listener = settings.getProperty("listeners").split(",", 2)[0];
        String address = listener.substring(listener.indexOf("://") + "://".length());
        int id = Integer.parseInt(settings.getProperty("node.id"));
        long deadlineNanos = System.nanoTime() + START_DEADLINE.toNanos();
        try (Admin admin = Admin.create(Map.of(
                "bootstrap.servers",
                address,
                "client.id",
                "weir-testkit",
                "default.api.timeout.ms",
                "10000",
                "request.timeout.ms",
                "5000"))) {
            while (!knows(admin, id)) {
                if (System.nanoTime() >= deadlineNanos) {
                    throw new IllegalStateException(
                            "it did not serve clients within " + START_DEADLINE.toSeconds() + " s");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static boolean knows(Admin admin, int id) throws InterruptedException {
        try {
            return admin.describeCluster().nodes().get().stream().anyMatch(node -> node.id() == id);
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    private static Properties read(Path file) throws IOException {
        Properties settings = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            settings.load(in);
        }
        return settings;
    }

    /** Limits the duration of a shutdown. A broker without controllers would wait for minutes. */
    private static void haltAfterDeadline() {
        Thread.ofPlatform().name("halt").daemon().start(() -> {
            long deadlineNanos = System.nanoTime() + STOP_DEADLINE.toNanos();
            while (System.nanoTime() < deadlineNanos) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
