package dev.weir.cli.console;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.weir.command.terminal.CliFailure;
import dev.weir.console.ConsoleServer;
import dev.weir.metrics.http.HttpEndpoint;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the console of a process, or parses the address of a console. Stateless. See ADR 69. */
public final class ConsoleAddress {

    private static final String NO_CONSOLE = "Start it with --console, or give the console's address instead.";

    private ConsoleAddress() {}

    /** Returns the console address for a process id or URL typed by the user. */
    public static URI of(String target) {
        return isProcess(target) ? ofProcess(target) : ofUrl(target);
    }

    /** Returns whether {@code target} is a process id. */
    public static boolean isProcess(String target) {
        return target.matches("[0-9]{1,18}");
    }

    /** Parses {@code URL} as typed by the user. */
    public static URI ofUrl(String target) {
        try {
            URI uri = URI.create(target.replaceAll("/+$", ""));
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if ((scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && uri.getPort() <= HttpEndpoint.MAX_PORT) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw CliFailure.badValue(
                "PID|URL", target, "the number of a process or an address such as http://127.0.0.1:9500");
    }

    private static URI ofProcess(String pid) {
        String address = property(pid);
        if (address == null) {
            throw CliFailure.work("process " + pid + " has no console", NO_CONSOLE);
        }
        return URI.create(address);
    }

    private static @Nullable String property(String pid) {
        if (ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
            throw CliFailure.work("there is no process " + pid, "'jps -l' lists the JVM processes.");
        }
        try {
            VirtualMachine process = VirtualMachine.attach(pid);
            try {
                return process.getSystemProperties().getProperty(ConsoleServer.ADDRESS_PROPERTY);
            } finally {
                process.detach();
            }
        } catch (AttachNotSupportedException e) {
            // Omit the cause, which --verbose would print: the process's command line may contain secrets.
            throw CliFailure.work("process " + pid + " is not a JVM that can be asked", NO_CONSOLE);
        } catch (IOException e) {
            throw CliFailure.work("process " + pid + " cannot be asked: " + CliFailure.reason(e), NO_CONSOLE, e);
        }
    }
}
