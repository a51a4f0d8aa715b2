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
 * Command lines of the JVMs that these tests start, and the class data sharing archive that they use. Without an
 * archive, reading, verifying and linking classes takes a third of the processor time of a short command or of a
 * broker's start.
 *
 * <p>The module's build recreates the archive with {@link #main} before the tests. Tests only read it, so no test finds
 * an incomplete archive. The JVM requires that the class path contains only jars when the archive is created, and that
 * a process which uses the archive has these jars first. If other modules are folders (in {@code mvn test} or in an
 * IDE), there is no archive, and children start normally. A JVM ignores an archive that was created from other jars or
 * by another JDK. Stateless.
 */
final class ChildJvm {

    /** Property that names the archive, which need not exist. The brokers that the testkit forks read it as well. */
    static final String ARCHIVE = "weir.testkit.archive";

    private static final long MAX_SECONDS = 120;

    private ChildJvm() {}

    /** Returns the {@code java} program of this JVM, the options of all children, and their class path. */
    static List<String> command() {
        List<String> command = quick();
        String archive = System.getProperty(ARCHIVE, "");
        if (!archive.isEmpty() && Files.exists(Path.of(archive))) {
            // Without these options, a JVM that ignores the archive would print a warning into the output that tests
            // read.
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

    /** Returns whether all other modules are jars here, so that an archive can be created. */
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
        // Runs one process that uses most of the children's classes: a broker, clients, a pipeline and the command
        // line.
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
