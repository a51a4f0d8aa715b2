package dev.weir.checks.integration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.awaitility.Awaitility;

/**
 * A broker of the release that {@code checks/old-broker} names, with that release's own class path, in a process on
 * this JVM's JDK. Owned by the test that starts it; its process ends with the test's. Confined to one thread.
 */
final class OldBroker {

    private static final Path CLASS_PATH =
            Path.of(System.getProperty("weir.root"), "checks/old-broker/target/broker.classpath");

    /** A second process waits until this JVM closes the pipe to it, or is gone, and ends the broker. */
    private static final List<String> ENDED_WITH_THIS_JVM =
            List.of("/bin/sh", "-c", "exec 3<&0; (read end <&3; kill -9 $$) & exec \"$@\"", "sh");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final Admin admin;
    private final String bootstrapServers;

    private OldBroker(Process process, Admin admin, String bootstrapServers) {
        this.process = process;
        this.admin = admin;
        this.bootstrapServers = bootstrapServers;
    }

    /** Returns when it answers; its data, its settings and its log are in {@code folder}. */
    static OldBroker start(Path folder) throws Exception {
        Path log = folder.resolve("broker.log");
        Path settings = folder.resolve("server.properties");
        int port = write(settings, folder.resolve("data"));
        Process formatting = launch(
                log,
                List.of(),
                "kafka.tools.StorageTool",
                "format",
                "-t",
                Uuid.randomUuid().toString(),
                "-c",
                settings.toString());
        if (!formatting.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || formatting.exitValue() != 0) {
            end(formatting);
            throw new IllegalStateException("the old broker's folder was not formatted: " + Files.readString(log));
        }
        String address = "127.0.0.1:" + port;
        Admin admin = Admin.create(Map.of("bootstrap.servers", address));
        Process process = launch(log, ENDED_WITH_THIS_JVM, "kafka.Kafka", settings.toString());
        OldBroker broker = new OldBroker(process, admin, address);
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .failFast("it has ended", () -> !process.isAlive())
                    .until(() -> !admin.describeCluster()
                            .nodes()
                            .get(10, TimeUnit.SECONDS)
                            .isEmpty());
        } catch (RuntimeException e) {
            broker.close();
            throw new IllegalStateException("the old broker does not answer: " + Files.readString(log), e);
        }
        return broker;
    }

    private static int write(Path settings, Path data) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            int port = first.getLocalPort();
            Properties server = new Properties();
            server.putAll(Map.of(
                    "node.id",
                    "1",
                    "process.roles",
                    "broker,controller",
                    "listeners",
                    "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + second.getLocalPort(),
                    "advertised.listeners",
                    "PLAINTEXT://127.0.0.1:" + port,
                    "controller.listener.names",
                    "CONTROLLER",
                    "controller.quorum.voters",
                    "1@127.0.0.1:" + second.getLocalPort(),
                    "log.dirs",
                    data.toString(),
                    "group.initial.rebalance.delay.ms",
                    "0"));
            for (String topic : List.of("offsets.topic.", "transaction.state.log.")) {
                server.put(topic + "replication.factor", "1");
                server.put(topic + "num.partitions", "3");
            }
            server.put("transaction.state.log.min.isr", "1");
            try (var out = Files.newBufferedWriter(settings)) {
                server.store(out, "An old broker");
            }
            return port;
        }
    }

    private static Process launch(Path log, List<String> shell, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(shell);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Files.readString(CLASS_PATH).strip()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    void createTopic(String name, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get(60, TimeUnit.SECONDS);
    }

    /** What the group has committed, of all partitions together. */
    long committed(String group) throws Exception {
        return admin
                .listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get(60, TimeUnit.SECONDS)
                .values()
                .stream()
                .mapToLong(each -> each.offset())
                .sum();
    }

    void close() throws Exception {
        admin.close(Duration.ofSeconds(5));
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            end(process);
        }
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
