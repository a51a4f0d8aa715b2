package dev.weir.checks.integration;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Command lines of the JVMs that these tests start, and their class data sharing archive. Without it, loading classes
 * takes a third of the processor time of a short command or a broker's start.
 *
 * <p>The module's build recreates the archive with {@link #main} before the tests. The JVM requires a class path of
 * jars, and the archive's jars must come first. There is no archive if other modules are folders. A JVM ignores an
 * archive from other jars or another JDK. Stateless.
 */
final class ChildJvm {

    /** The property with the archive's name. The archive need not exist. Brokers forked by the testkit read it too. */
    static final String ARCHIVE = "weir.testkit.archive";

    private static final long MAX_SECONDS = 120;

    private ChildJvm() {}

    /** Returns the {@code java} program of this JVM, the options of all children, and their class path. */
    static List<String> command() {
        List<String> command = quick();
        String archive = System.getProperty(ARCHIVE, "");
        if (!archive.isEmpty() && Files.exists(Path.of(archive))) {
            // Without these options, a JVM that ignores the archive prints a warning into the output.
            command.addAll(List.of(
                    "-XX:SharedArchiveFile=" + archive,
                    "-D" + ARCHIVE + "=" + archive,
                    "-Xlog:disable",
                    "-Xlog:all=warning:stderr",
                    "-Xlog:cds*=off:stderr"));
            if (Runtime.version().feature() >= 24) {
                command.add("-Xlog:aot*=off:stderr");
            }
        }
        command.addAll(List.of("-cp", path(jars()) + File.pathSeparator + path(others())));
        return command;
    }

    /** Returns whether all other modules are jars, which an archive requires. */
    static boolean isPackaged() {
        Path own = Path.of("target").toAbsolutePath();
        return others().allMatch(each -> each.startsWith(own) || Files.notExists(each));
    }

    private static List<String> quick() {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
    }

    private static Stream<Path> jars() {
        return entries().filter(Files::isRegularFile);
    }

    private static Stream<Path> others() {
        return entries().filter(each -> !Files.isRegularFile(each));
    }

    private static Stream<Path> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of);
    }

    private static String path(Stream<Path> entries) {
        return entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Creates the archive with the given name, if possible. Must run in the module's folder. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path archive = Path.of(args[0]);
        Files.deleteIfExists(archive);
        if (!isPackaged()) {
            return;
        }
        Path unfinished = Path.of(archive + ".new");
        Files.deleteIfExists(unfinished);
        Path said = Path.of(archive + ".log");
        List<String> command = quick();
        // Runs a process with most of the children's classes: a broker, clients, a pipeline and the command line.
        command.addAll(List.of("-Xlog:all=error", "-XX:ArchiveClassesAtExit=" + unfinished, "-cp", path(jars())));
        command.addAll(List.of("dev.weir.cli.Main", "demo", "--records=1", "--json"));
        Process demo = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended = demo.waitFor(MAX_SECONDS, TimeUnit.SECONDS);
        demo.destroyForcibly();
        if (!ended || demo.exitValue() != 0 || !Files.exists(unfinished)) {
            throw new IOException("no archive of classes was made for the JVMs that tests start: see " + said);
        }
        Files.move(unfinished, archive);
    }
}
