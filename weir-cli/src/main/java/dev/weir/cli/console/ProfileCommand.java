package dev.weir.cli.console;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.command.console.TokenFile;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.Progress;
import dev.weir.console.profile.Profile;
import dev.weir.console.profile.ProfileException;
import dev.weir.console.profile.Profiler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir profile}: shows where a running pipeline spends its time, by stage. */
@Command(
        name = "profile",
        sortOptions = false,
        description = {
            "Record where a running pipeline spends its time, by stage.",
            "It needs no preparation of the process and no console: the JDK's own flight recorder is started there, and"
                    + " stopped again."
        },
        footer = {
            "",
            "For each stage: its share of the processor's time, the methods that took it, what they allocated and what"
                    + " they waited for. The shares of Weir and the Kafka client follow.",
            "",
            "  weir profile 4711                                    ten seconds of a process of this machine",
            "  weir profile 4711 --seconds 30 --html profile.html   and flame graphs in one file",
            "  weir profile http://127.0.0.1:9500                   through the console of a process"
        })
public final class ProfileCommand implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParentCommand
    private CommandContext weir;

    @Parameters(paramLabel = "PID|URL", description = "The process, or the address that its console printed.")
    private String target;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long to record, 1 to 60 seconds. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write the flame graphs to FILE: on CPU, allocation, off CPU; it needs no network.")
    private @Nullable Path html;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token that the console demands.")
    private @Nullable Path tokenFile;

    @Option(names = "--json", description = "Print the profile as one JSON object on standard output.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        Callable<ObjectNode> recording =
                ConsoleAddress.isProcess(target) ? this::ofProcess : ofConsole(ConsoleAddress.ofUrl(target));
        ObjectNode profile = await(recording);
        if (html != null) {
            OutputFile.write("--html", html, Profile.htmlOf(profile.toString()));
        }
        profile.remove("flames");
        if (json) {
            tell(profile);
        } else {
            new ProfileTable(weir.out()).print(profile);
        }
        return ExitCode.DONE;
    }

    private void checkOptions() {
        long most = Profiler.MOST.toSeconds();
        if (seconds < 1 || seconds > most) {
            throw CliFailure.badValue("--seconds", seconds, "1 to " + most);
        }
        if (tokenFile != null && ConsoleAddress.isProcess(target)) {
            throw CliFailure.usage(
                    "--token-file goes with the address of a console, not with a process",
                    "A process is recorded without its console.");
        }
        OutputFile.check("--html", html);
    }

    private ObjectNode ofProcess() throws IOException, InterruptedException {
        long pid = Long.parseLong(target);
        return parse(Profiler.create()
                .time(Duration.ofSeconds(seconds))
                .recordProcess(pid)
                .toJson());
    }

    private static ObjectNode parse(String profile) throws JacksonException {
        return (ObjectNode) JSON.readTree(profile);
    }

    private Callable<ObjectNode> ofConsole(URI address) {
        String token = tokenFile == null ? null : TokenFile.read(tokenFile, weir.terminal());
        return () -> {
            try (ConsoleClient console = new ConsoleClient(address, token)) {
                JsonNode answer = console.get("/api/profile?seconds=" + seconds, Duration.ofSeconds(2L * seconds));
                if (answer instanceof ObjectNode profile
                        && profile.path("flames").isObject()) {
                    return profile;
                }
                throw CliFailure.work(address + " is not a Weir console", "Use the address that the process printed.");
            }
        };
    }

    /** Shows the progress of the recording. Ctrl-C aborts it and leaves nothing behind. */
    private ObjectNode await(Callable<ObjectNode> recording) throws InterruptedException {
        FutureTask<ObjectNode> work = new FutureTask<>(recording);
        Thread recorder = Thread.ofPlatform().daemon().name("weir-profile").start(work);
        weir.shutdown().onStop(recorder::interrupt);
        long start = System.nanoTime();
        try (Progress progress = weir.progress()) {
            return progress.await(work, () -> {
                long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
                return now < seconds ? "recording: " + now + " of " + seconds + " s" : "reading the recording";
            });
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause());
        }
    }

    private CliFailure failure(Throwable cause) {
        return switch (cause) {
            case CliFailure known -> known;
            case ProfileException refused ->
                CliFailure.work(String.valueOf(refused.getMessage()), refused.wayOut(), refused);
            case InterruptedException stopped -> CliFailure.work("stopped before the profile was there", "", stopped);
            case IOException e ->
                CliFailure.work(
                        "cannot record " + target + ": " + CliFailure.reason(e), "Is the process still running?", e);
            default -> CliFailure.unexpected(cause);
        };
    }

    private void tell(ObjectNode profile) {
        weir.json().write(line -> {
            for (Map.Entry<String, JsonNode> field : profile.properties()) {
                line.writeFieldName(field.getKey());
                line.writeRawValue(field.getValue().toString());
            }
        });
    }
}
