package dev.weir.cli;

import dev.weir.command.terminal.ExitCode;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code weir warm-up}, hidden: loads the classes that other commands need. The launcher records them for faster
 * starts. Needs no broker.
 */
@Command(name = "warm-up", hidden = true, description = "Loads classes; the launchers run it once, for faster starts.")
final class WarmUpCommand implements Callable<Integer> {

    private static final long MAX_SECONDS = 60;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        // Limit the time, because the launcher waits.
        AtomicBoolean running = new AtomicBoolean(true);
        CompletableFuture.delayedExecutor(MAX_SECONDS, TimeUnit.SECONDS).execute(() -> {
            if (running.get()) {
                Runtime.getRuntime().halt(ExitCode.FAILED);
            }
        });
        try {
            return load();
        } finally {
            running.set(false); // a test calls this command in its own process, which must not be halted later
        }
    }

    private int load() {
        int help = spec.root().commandLine().getUsageMessage().length();
        Weir.answer(false, "--help");
        Weir.answer(false, "--version");
        Map<String, Object> config = Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "warm-up");
        try (Admin admin = Admin.create(config);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
                KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.assignment().size()
                                    + producer.metrics().size()
                                    + admin.metrics().size()
                                    + help
                            > 0
                    ? ExitCode.DONE
                    : ExitCode.FAILED;
        }
    }
}
