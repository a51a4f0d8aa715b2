package dev.weir.testkit.internal;

import dev.weir.testkit.internal.disk.DiskFaults;
import dev.weir.testkit.internal.disk.FaultyDiskProvider;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program of a forked broker, as arguments for the {@code java} command after the memory limits. Immutable.
 *
 * @param format arguments for formatting the broker's folder; empty if no separate formatting is needed
 * @param serve arguments for running the broker
 */
public record BrokerProgram(List<String> format, List<String> serve) {

    /**
     * Path of a class data sharing archive for child JVMs, or an empty string. It saves a third of the CPU time to
     * start a broker.
     */
    private static final String ARCHIVE = System.getProperty("weir.testkit.archive", "");

    public BrokerProgram {
        format = List.copyOf(format);
        serve = List.copyOf(serve);
    }

    /** Returns a program that runs the server on this JVM's class path. The folder must already be formatted. */
    public static BrokerProgram ofThisJvm(Path settingsFile) {
        List<String> serve = new ArrayList<>();
        if (hasArchive()) {
            serve.add("-XX:SharedArchiveFile=" + ARCHIVE);
        }
        serve.addAll(List.of("-cp", classPath(), BrokerMain.class.getName(), settingsFile.toString()));
        return new BrokerProgram(List.of(), serve);
    }

    /** Returns this program with the files in {@code dataFolder} on a disk that can fail. */
    public BrokerProgram onFaultyDisk(Path dataFolder) {
        List<String> faulty = new ArrayList<>();
        faulty.add("-Djava.nio.file.spi.DefaultFileSystemProvider=" + FaultyDiskProvider.class.getName());
        faulty.add("-D" + DiskFaults.DIRECTORY + "=" + dataFolder.toAbsolutePath());
        faulty.addAll(serve);
        return new BrokerProgram(format, faulty);
    }

    private static boolean hasArchive() {
        return !ARCHIVE.isEmpty() && Files.isRegularFile(Path.of(ARCHIVE));
    }

    /** Returns this JVM's class path and module path. The child loads all classes from its class path. */
    private static String classPath() {
        String classPath = System.getProperty("java.class.path", "");
        String modulePath = System.getProperty("jdk.module.path", "");
        String all = modulePath.isEmpty() ? classPath : classPath + File.pathSeparator + modulePath;
        if (!hasArchive()) {
            return all;
        }
        // The JVM requires a class path that begins with the jars of the archive, so folders come last.
        return Stream.of(all.split(File.pathSeparator))
                .sorted(Comparator.comparing(each -> !Files.isRegularFile(Path.of(each))))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
