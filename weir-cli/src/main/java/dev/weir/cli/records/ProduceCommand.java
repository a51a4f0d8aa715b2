package dev.weir.cli.records;

import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.ClusterOptions;
import dev.weir.command.client.OptionChecks;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Progress;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir produce}: writes lines or generated records to a topic. Its thread checks the cluster, shows the progress
 * and prints the summary. {@link Production} sends on another thread, because reading standard input cannot be
 * interrupted.
 */
@Command(
        name = "produce",
        sortOptions = false,
        description = {
            "Write records to a topic: one for each line of a file or of standard input, or generated ones.",
            "A line is a value, or KEY and VALUE with --key-separator. Ctrl-C waits for what was sent and ends."
        })
public final class ProduceCommand implements Callable<Integer> {

    private static final int MAX_SIZE = 100_000_000;

    @ParentCommand
    private CommandContext weir;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "Topic to write.")
    private String topic;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Split each line at the first TEXT into key and value. Default: the line is the value.")
    private @Nullable String keySeparator;

    @Option(
            names = "--header",
            paramLabel = "NAME=TEXT",
            converter = HeaderConverter.class,
            description = "Give each record this header. May be repeated.")
    private List<Header> headers = new ArrayList<>();

    @Option(names = "--file", paramLabel = "FILE", description = "Read lines from FILE. Default: standard input.")
    private @Nullable Path file;

    @Option(names = "--count", paramLabel = "N", description = "Generate N records instead of reading lines.")
    private @Nullable Long count;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Size of a generated value (default: " + GeneratedInput.DEFAULT_BYTES + ").")
    private @Nullable Integer size;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Give generated records N different keys in turn. Default: no keys.")
    private @Nullable Long keys;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Generate N records per second. Default: as many as the brokers accept.")
    private @Nullable Long rate;

    @Option(names = "--json", description = "Print the summary as one JSON object on standard output.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        check();
        ClusterClients clients = cluster.clients();
        Map<String, Object> config = clients.writerConfig();
        clients.warnings().forEach(warning -> weir.terminal().note("weir: " + warning));
        try (InputStream lines = count == null ? open() : InputStream.nullInputStream()) {
            clients.check(List.of(topic));
            return produce(clients, config, lines);
        } catch (IOException e) {
            // Closing the input failed after all lines were read, or after another failure was reported.
            throw CliFailure.unexpected(e);
        }
    }

    private InputStream open() {
        if (file == null) {
            return new FilterInputStream(System.in) {
                @Override
                public void close() {} // empty: System.in.close() could block forever behind a pending read
            };
        }
        try {
            if (Files.isDirectory(file)) {
                throw unreadable("a folder");
            }
            return Files.newInputStream(file);
        } catch (IOException e) {
            throw unreadable(CliFailure.reason(e));
        }
    }

    private CliFailure unreadable(String why) {
        return CliFailure.badValue("--file", String.valueOf(file), "a file that can be read (" + why + ")");
    }

    private int produce(ClusterClients clients, Map<String, Object> config, InputStream lines)
            throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        KafkaProducer<byte[], byte[]> producer = clients.configured(
                () -> new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()));
        Production production = new Production(input(lines, config, stop), producer, topic, headers);
        weir.shutdown().onStop(() -> {
            stop.countDown();
            production.stop();
        });
        try (Progress progress = weir.progress()) {
            Thread.ofPlatform().daemon().name("weir-produce").start(production);
            progress.await(production.ended(), production::text);
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            production.close(ClusterClients.DELIVERY_TIMEOUT);
        }
        return tell(production);
    }

    private int tell(Production production) {
        CliFailure failure = production.failure();
        if (json) {
            weir.json().write(production::write);
            weir.errorIsReported();
        } else {
            weir.terminal().note(production.text());
        }
        if (failure != null) {
            throw failure;
        }
        return ExitCode.DONE;
    }

    private RecordInput input(InputStream lines, Map<String, Object> config, CountDownLatch stop) {
        if (count != null) {
            return new GeneratedInput(
                    count,
                    size == null ? GeneratedInput.DEFAULT_BYTES : size,
                    keys == null ? 0 : keys,
                    rate == null ? 0 : rate,
                    stop,
                    System::nanoTime);
        }
        return new LineInput(
                lines,
                file == null ? "standard input" : file.toString(),
                keySeparator == null ? null : keySeparator.getBytes(StandardCharsets.UTF_8),
                maxRequestBytes(config));
    }

    /** Largest size of a request. Requires a configuration that the client has accepted. */
    private static int maxRequestBytes(Map<String, Object> config) {
        Map<String, Object> defaults = ProducerConfig.configDef().defaultValues();
        Object bytes = config.getOrDefault(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG, defaults.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG));
        return Integer.parseInt(String.valueOf(bytes).strip());
    }

    private void check() {
        OptionChecks.requireNotBlank("--topic", topic);
        if (keySeparator != null && keySeparator.isEmpty()) {
            throw CliFailure.usage("--key-separator must not be empty", "");
        }
        if (count == null) {
            refuseWithoutCount("--size", size);
            refuseWithoutCount("--keys", keys);
            refuseWithoutCount("--rate", rate);
            return;
        }
        if (file != null) {
            throw CliFailure.usage("--count and --file do not go together", "Leave one of them out.");
        }
        if (keySeparator != null) {
            throw CliFailure.usage("--count and --key-separator do not go together", "--keys N gives keys.");
        }
        requireAtLeastOne("--count", count);
        requireAtLeastOne("--keys", keys);
        requireAtLeastOne("--rate", rate);
        if (size != null && (size < 1 || size > MAX_SIZE)) {
            throw CliFailure.badValue("--size", size, "1 to " + MAX_SIZE);
        }
    }

    private static void refuseWithoutCount(String option, @Nullable Number value) {
        if (value != null) {
            throw CliFailure.usage(option + " is for generated records", "Add --count N.");
        }
    }

    private static void requireAtLeastOne(String option, @Nullable Long value) {
        if (value != null && value < 1) {
            throw CliFailure.badValue(option, value, "at least 1");
        }
    }
}
