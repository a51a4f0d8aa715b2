package dev.weir.cli.pipe;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.pipe.PipeOptions.Via;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.OptionNames;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Progress;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir pipe}: runs one pipeline from topic to topic, until its end, a signal or a fault. Its thread checks the
 * cluster, starts the pipeline, shows the progress and prints the summary.
 */
@Command(
        name = "pipe",
        sortOptions = false,
        description = {
            "Move records from one topic to another, and do something with each on the way.",
            "Key, headers and timestamp pass through. A record is committed after its result was written, unless"
                    + " --guarantee says otherwise.",
            "Ctrl-C or SIGTERM finishes what is under way; a second one stops at once, and nothing is lost either way.",
            "The summary at the end names what limited the pipe, and what to do about it."
        })
public final class PipeCommand implements Callable<Integer> {

    /** Time limit for closing the consumer: up to 10 s for the last commit and 8 s to leave the group. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(25);

    /** Snapshot for a pipe over a share group, which has no consumer. */
    private static final ConsumerSnapshot NO_CONSUMER = ConsumerSnapshot.of(List.of(), 0, 0, 0, 0);

    @ParentCommand
    private CommandContext weir;

    @Mixin
    private PipeOptions options;

    @Override
    public Integer call() throws InterruptedException {
        PipeRules.check(options);
        try (Endpoints endpoints = Endpoints.start(weir, options.json, options.console, options.metrics)) {
            return run(endpoints);
        }
    }

    private int run(Endpoints endpoints) throws InterruptedException {
        ClusterClients clients = new ClusterClients(
                options.bootstrapServers, options.group, options.clientConfig, options.connectTimeout);
        clients.nameConsumers(endpoints.clientId(options.group));
        if (options.sharing.share) {
            clients.refuseOwn("--share");
        }
        ProducerSettings<byte[], byte[]> producer =
                clients.producer(options.produce == null ? null : options.produce.path());
        if (options.isExactlyOnce() && producer.produce() == ProducePath.LEAN) {
            throw CliFailure.usage(
                    "--guarantee exactly-once does not go with weir.produce=lean in --client-config="
                            + options.clientConfig,
                    "A lean producer supports no transactions: take weir.produce out, or add --produce client.");
        }
        if (options.state != null) {
            PipeState.checkWritable(options.state);
        }
        Stream.of(PipeRules.warnings(options), clients.warnings(), consumerWarnings(clients))
                .flatMap(List::stream)
                .forEach(warning -> weir.terminal().note("weir: " + warning));
        clients.check(options.topics());
        try (PipeFlow flow = new PipeFlow(options)) {
            Pipeline pipeline = clients.configured(() -> options.sharing.share
                    ? flow.pipeline(member(clients), producer)
                    : flow.pipeline(consumer(clients), producer));
            try (RunningPipeline running = start(clients, pipeline)) {
                PipeState state = PipeState.start(options.state, running, weir.terminal());
                try (LimiterProbe probe = LimiterProbe.start(running)) {
                    endpoints.show(running, probe);
                    return runToEnd(running, flow, probe);
                } finally {
                    state.close();
                }
            }
        }
    }

    private List<String> consumerWarnings(ClusterClients clients) {
        return options.sharing.share
                ? List.of()
                : ClusterClients.warnings(consumer(clients), Subscription.topics(options.from));
    }

    private ConsumerSettings<byte[], byte[]> consumer(ClusterClients clients) {
        return clients.configured(
                () -> options.batches.apply(clients.consumer(options.fetch == null ? null : options.fetch.path())));
    }

    private ShareSettings<byte[], byte[]> member(ClusterClients clients) {
        return clients.configured(() -> {
            var settings = ShareSettings.builder();
            clients.ofKafka().forEach(settings::property);
            String clientId = clients.consumerId();
            if (clientId != null) {
                settings.property(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
            }
            settings.bootstrapServers(options.bootstrapServers)
                    .groupId(options.group)
                    .connectTimeout(options.connectTimeout);
            if (options.deadLetter != null) {
                settings.deadLetterTopic(options.deadLetter);
            }
            if (options.untilEnd) {
                settings.untilEnd();
            }
            if (options.fetch != null) {
                settings.fetch(options.fetch.path());
            }
            return options.batches.apply(options.sharing.apply(settings)).build();
        });
    }

    private RunningPipeline start(ClusterClients clients, Pipeline pipeline) {
        try {
            return clients.configured(pipeline::run);
        } catch (KafkaPipelineException e) {
            throw failure(e, NO_CONSUMER);
        }
    }

    private int runToEnd(RunningPipeline running, PipeFlow flow, LimiterProbe probe) throws InterruptedException {
        CompletableFuture<DrainReport> drained = new CompletableFuture<>();
        // Shell commands have their own sessions, so nothing else would end them.
        weir.shutdown().onHalt(() -> ProcessHandle.current().children().forEach(Shell::kill));
        weir.shutdown()
                .onStop(() -> Thread.ofPlatform().daemon().name("weir-drain").start(() -> drain(running, drained)));
        Throwable failure = awaitEnd(running, drained, flow);
        DrainReport report = report(running, drained);
        @Nullable
        ConsumerHandle consumer =
                running.handles(ConsumerHandle.class).stream().findFirst().orElse(null);
        ConsumerSnapshot read = consumer == null ? NO_CONSUMER : consumer.snapshot();
        CliFailure fault = failure == null || failure instanceof CancellationException ? null : failure(failure, read);
        @Nullable ShareSummary sharing = shared(running, flow);
        PipeSummary summary = new PipeSummary(
                report,
                options.guarantee,
                flow.deadLettered(running),
                flow.deadLettersInOutput(),
                flow.deadLettersCut(running),
                sharing == null ? read : read.with(List.of(), sharing.member().skipped(), 0),
                consumer == null ? null : consumer.dump().noAnswerSince(),
                running.handles(ProducerHandle.class).stream()
                        .findFirst()
                        .map(ProducerHandle::latency)
                        .orElse(null),
                OptionNames.in(probe.overall()),
                sharing,
                running.handles(TransactionHandle.class).stream()
                        .findFirst()
                        .map(TransactionHandle::snapshot)
                        .orElse(null),
                fault == null ? null : fault.getMessage());
        if (options.json) {
            summary.write(weir.json());
            weir.errorIsReported();
            if (summary.deadLettersCut() > 0) {
                weir.terminal().note("weir: " + summary.cutDeadLetters());
            }
        } else {
            weir.terminal().notes(summary.text());
        }
        if (fault != null) {
            throw fault;
        }
        return report.drained() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private @Nullable ShareSummary shared(RunningPipeline running, PipeFlow flow) {
        int workers = running.stages().stream()
                .mapToInt(
                        stage -> stage.name().equals("handle") || stage.name().equals("work") ? stage.parallelism() : 0)
                .max()
                .orElse(0);
        return running.handles(ShareHandle.class).stream()
                .findFirst()
                .map(ShareHandle::snapshot)
                .map(member -> new ShareSummary(member, workers == 0 ? member.workers() : workers, flow.times()))
                .orElse(null);
    }

    /** Returns the final report. The commits are known only after the pipeline has released its resources. */
    private DrainReport report(RunningPipeline running, CompletableFuture<DrainReport> drained)
            throws InterruptedException {
        DrainReport first = drained.isDone() ? drained.join() : running.drain(Duration.ZERO);
        if (first.drained() || running.completion().isDone()) {
            return first;
        }
        try (Progress progress = weir.progress()) {
            progress.await(
                    running.completion()
                            .handle((report, failure) -> true)
                            .completeOnTimeout(false, CLOSE_PATIENCE.toNanos(), TimeUnit.NANOSECONDS),
                    () -> "stopping: waiting for the last commit");
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
        // Returns immediately if the pipeline has ended, and then covers the work that a failure left unfinished.
        return running.drain(Duration.ZERO);
    }

    private void drain(RunningPipeline running, CompletableFuture<DrainReport> drained) {
        try {
            drained.complete(running.drain(options.drainTimeout));
        } catch (InterruptedException e) {
            // Never happens: nothing else knows this thread.
            drained.completeExceptionally(e);
        }
    }

    private @Nullable Throwable awaitEnd(RunningPipeline running, CompletableFuture<DrainReport> drained, PipeFlow flow)
            throws InterruptedException {
        PipeProgress view = new PipeProgress(System::nanoTime);
        try (Progress progress = weir.progress()) {
            progress.await(CompletableFuture.anyOf(running.completion(), drained), () -> view.line(running, flow));
            return null;
        } catch (ExecutionException e) {
            Throwable cause = e;
            for (Throwable each : Thrown.causes(e)) {
                cause = each;
                if (!(each instanceof ExecutionException || each instanceof CompletionException)) {
                    break;
                }
            }
            return cause;
        }
    }

    private CliFailure failure(Throwable cause, ConsumerSnapshot read) {
        return switch (cause) {
            case CliFailure known -> known;
            case RecordDecodeException unread -> BatchOptions.failure(unread);
            case KafkaPipelineException known -> known(known, read, "");
            case LineProcessException known when options.via instanceof Via.Each -> known(known, read, orGiveUp());
            case LineProcessException known -> known(known, read, "");
            case HandlerTimeoutException known -> known(known, read, orGiveUp());
            default -> CliFailure.unexpected(cause);
        };
    }

    /** Returns advice on options that keep a pipe running despite a failed record. */
    private String orGiveUp() {
        String again = options.retry == null ? "--retry N tries a record again" : "";
        String deadLetter =
                options.deadLetter == null ? "--dead-letter TOPIC puts it aside and lets the others pass" : "";
        String both = again + (again.isEmpty() || deadLetter.isEmpty() ? "" : ", ") + deadLetter;
        return both.isEmpty() ? "" : " " + both + ".";
    }

    private CliFailure known(RuntimeException cause, ConsumerSnapshot read, String wayOut) {
        boolean placeIsGone = cause instanceof OffsetOutOfRangeException || cause instanceof RecreatedTopicException;
        String lost = DroppedText.lost(read, placeIsGone);
        String next = options.sharing.share
                ? "Records under way go back to the share group, which delivers them again."
                : options.isAtMostOnce()
                        ? "Nothing is repeated: records that were committed and not written are lost."
                        : lost.isEmpty()
                                ? "Nothing is lost: what was not committed is read again at the next start."
                                : lost;
        return CliFailure.work(OptionNames.in(ClientFault.withCause(cause)), next + wayOut, cause);
    }
}
