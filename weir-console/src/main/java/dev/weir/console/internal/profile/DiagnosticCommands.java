package dev.weir.console.internal.profile;

import dev.weir.console.profile.ProfileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sends diagnostic commands to another JVM with the {@code jcmd} of this JVM's JDK. The JDK has no public API for this
 * that opens no port. Confined to one thread.
 */
final class DiagnosticCommands {

    private static final long PATIENCE_SECONDS = 60;
    private static final int MOST_ANSWER_BYTES = 64 * 1024;

    private final Path jcmd;
    private final long pid;
    private final String name;

    private DiagnosticCommands(Path jcmd, long pid, String name) {
        this.jcmd = jcmd;
        this.pid = pid;
        this.name = name;
    }

    /**
     * Returns an object that sends commands to a process.
     *
     * @param name the name of the process in messages
     * @throws ProfileException if this JVM does not belong to a JDK
     */
    static DiagnosticCommands of(long pid, String name) throws ProfileException {
        Path bin = Path.of(System.getProperty("java.home"), "bin");
        for (String file : List.of("jcmd", "jcmd.exe")) {
            if (Files.isExecutable(bin.resolve(file))) {
                return new DiagnosticCommands(bin.resolve(file), pid, name);
            }
        }
        throw new ProfileException(
                "the Java that runs this has no jcmd in " + bin,
                "Run it with a JDK that has the module jdk.jcmd, or use the console of that process: weir profile URL.",
                null);
    }

    /** Returns an argument that names a file. The path is quoted, because the other JVM splits commands at spaces. */
    static String file(String key, Path file) {
        String path = file.toString();
        char quote = path.indexOf('\'') < 0 ? '\'' : '"';
        return key + "=" + quote + path + quote;
    }

    /**
     * Sends a command.
     *
     * @throws ProfileException if the process rejects the command; contains the response
     */
    void run(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(jcmd.toString(), Long.toString(pid)));
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try (InputStream out = process.getInputStream()) {
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw failed("no answer within " + PATIENCE_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw failed(reason(new String(out.readNBytes(MOST_ANSWER_BYTES), StandardCharsets.UTF_8)));
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private ProfileException failed(String reason) {
        return new ProfileException(
                "the flight recorder of " + name + " failed: " + reason,
                "Is the process still running, on a JDK with the module jdk.jfr? -XX:-FlightRecorder forbids"
                        + " recordings.",
                null);
    }

    /** Returns the first meaningful line of a response, between the process id and a stack trace. */
    private String reason(String answer) {
        return answer.lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty() && !text.equals(pid + ":") && !text.startsWith("Picked up "))
                .findFirst()
                .orElse("no reason given");
    }
}
