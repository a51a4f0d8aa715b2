package dev.weir.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A proxy of a connection that rejects methods that end a transaction. Statements, metadata and result sets give access
 * to their connection, so they get a proxy too. Used by one thread at a time.
 */
final class GuardedConnection implements InvocationHandler {

    /** Methods of the connection that end the transaction without storing its positions. */
    private static final Set<String> OWNED = Set.of("commit", "setAutoCommit", "close", "abort");

    /** The types with access to a connection. A subtype comes before its supertype. */
    private static final List<Class<?>> WRAPPED = List.of(
            Connection.class,
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            Array.class);

    private final Object target;

    private GuardedConnection(Object target) {
        this.target = target;
    }

    static Connection of(Connection connection) {
        return (Connection) wrap(connection, Connection.class, "");
    }

    private static Object wrap(Object target, Class<?> type, String method) {
        Class<?> shown = type == Object.class
                ? WRAPPED.stream()
                        .filter(each -> each.isInstance(target))
                        .findFirst()
                        .orElseThrow()
                : type;
        if (!shown.isInterface()) {
            // Only interfaces can be proxied.
            throw refused(method + " for the class " + shown.getName() + ", only for an interface");
        }
        return Proxy.newProxyInstance(shown.getClassLoader(), new Class<?>[] {shown}, new GuardedConnection(target));
    }

    private static IllegalStateException refused(String what) {
        return new IllegalStateException("the sink owns the transaction, so its writer must not call " + what
                + ": return to commit, throw to roll back");
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (target instanceof Connection && (OWNED.contains(name) || (name.equals("rollback") && args == null))) {
            throw refused(name);
        }
        if (name.equals("unwrap") && args != null && args[0] instanceof Class<?> type) {
            return type.isInstance(proxy) ? proxy : wrap(((Wrapper) target).unwrap(type), type, name);
        }
        Object value;
        try {
            value = method.invoke(target, args == null ? null : (Object[]) unwrapped(args));
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        boolean leadsBack = WRAPPED.stream().anyMatch(type -> type.isInstance(value));
        return leadsBack ? wrap(value, promised(method, args), name) : value;
    }

    /** Returns a method's result type: the class argument of a method like {@code getObject}, or the declared type. */
    private static Class<?> promised(Method method, Object @Nullable [] args) {
        Class<?> declared = method.getReturnType();
        return args != null && args[args.length - 1] instanceof Class<?> asked && declared.isAssignableFrom(asked)
                ? asked
                : declared;
    }

    /** Returns an argument without its proxy. Copies arrays and unwraps their elements. */
    private static Object unwrapped(Object argument) {
        if (argument instanceof Object[] elements) {
            Object[] known = elements.clone();
            for (int i = 0; i < known.length; i++) {
                if (known[i] != null) {
                    known[i] = unwrapped(known[i]);
                }
            }
            return known;
        }
        return Proxy.isProxyClass(argument.getClass())
                        && Proxy.getInvocationHandler(argument) instanceof GuardedConnection guarded
                ? guarded.target
                : argument;
    }
}
