package dev.weir.cli;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.HandlerTimeoutException;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir pipe}: one pipeline from topic to topic, until its end, a signal or a fault. Its thread checks the cluster,
 * starts the pipeline, shows the progress and tells the end; the pipeline has threads of its own.
 */
@Command(
        name = "pipe",
        sortOptions = false,
        description = {
            "Move records from one topic to another, and do something with each on the way.",
            "Key, headers and timestamp pass through. A record is committed after its result was written.",
            "Ctrl-C or SIGTERM finishes what is under way; a second one stops at once, and nothing is lost either way."
        })
final class PipeCommand implements Callable<Integer> {

    @ParentCommand
    private Main weir;

    @Mixin
    private PipeOptions options;

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        PipeClients clients = new PipeClients(options.bootstrapServers, options.group, options.clientConfig);
        ConsumerSettings<byte[], byte[]> consumer = clients.consumer();
        if (options.fetch != null) {
            consumer = consumer.toBuilder()
                    .fetch(options.fetch == PipeOptions.Fetch.lean ? FetchPath.LEAN : FetchPath.CLIENT)
                    .build();
        }
        ProducerSettings<byte[], byte[]> producer = clients.producer();
        if (options.state != null) {
            PipeState.checkWritable(options.state);
        }
        clients.check(options.topics());
        try (PipeFlow flow = new PipeFlow(options)) {
            Pipeline pipeline = flow.pipeline(consumer, producer);
            try (RunningPipeline running = start(clients, pipeline)) {
                PipeState state = PipeState.start(options.state, running, weir.terminal());
                try {
                    return runToEnd(running, flow);
                } finally {
                    state.close();
                }
            }
        }
    }

    private static RunningPipeline start(PipeClients clients, Pipeline pipeline) {
        try {
            return clients.configured(pipeline::run);
        } catch (KafkaPipelineException e) {
            throw failure(e);
        }
    }

    private int runToEnd(RunningPipeline running, PipeFlow flow) throws InterruptedException {
        CompletableFuture<DrainReport> drained = new CompletableFuture<>();
        weir.shutdown()
                .onStop(() -> Thread.ofPlatform().daemon().name("weir-drain").start(() -> drain(running, drained)));
        Throwable failure = awaitEnd(running, drained, flow);
        // After the end this returns at once, and also tells what a failure left undone.
        DrainReport report = drained.isDone() ? drained.join() : running.drain(Duration.ZERO);
        PipeSummary summary = new PipeSummary(
                report,
                flow.deadLettered(running),
                flow.deadLettersInOutput(),
                flow.deadLettersCut(running),
                running.handles(ConsumerHandle.class).getFirst().snapshot());
        if (options.json) {
            summary.write(weir.json());
            if (summary.deadLettersCut() > 0) {
                weir.terminal().note("weir: " + summary.cutLetters());
            }
        } else {
            weir.terminal().note(summary.text());
        }
        if (failure != null && !(failure instanceof CancellationException)) {
            throw failure(failure);
        }
        return report.drained() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void drain(RunningPipeline running, CompletableFuture<DrainReport> drained) {
        try {
            drained.complete(running.drain(options.drainTimeout));
        } catch (InterruptedException e) { // Nobody else knows this thread.
            drained.completeExceptionally(e);
        }
    }

    private @Nullable Throwable awaitEnd(RunningPipeline running, CompletableFuture<DrainReport> drained, PipeFlow flow)
            throws InterruptedException {
        PipeProgress view = new PipeProgress(running, flow, System::nanoTime);
        try (Progress progress = weir.progress()) {
            progress.await(CompletableFuture.anyOf(running.completion(), drained), view::line);
            return null;
        } catch (ExecutionException e) {
            Throwable cause = e;
            while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                    && cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause;
        }
    }

    private static CliFailure failure(Throwable cause) {
        return switch (cause) {
            case CliFailure known -> known;
            case KafkaPipelineException known -> known(known);
            case LineProcessException known -> known(known);
            case HandlerTimeoutException known -> known(known);
            default -> CliFailure.unexpected(cause);
        };
    }

    private static CliFailure known(RuntimeException cause) {
        return CliFailure.work(
                String.valueOf(cause.getMessage()),
                "Nothing is lost: what was not committed is read again at the next start.",
                cause);
    }
}
