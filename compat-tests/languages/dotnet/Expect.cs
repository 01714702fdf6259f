// Compares what was seen with what the service would show, and says both where they differ.

using System.Collections;
using System.Text.Json;
using Azure.Messaging.ServiceBus;

namespace Scenarios;

static class Expect
{
    static readonly TimeSpan AtOnce = TimeSpan.FromSeconds(10);

    /// <summary>Lists and maps are equal if what is in them is.</summary>
    public static void Equal<T>(string what, T expected, T seen)
    {
        var isEqual = expected is IEnumerable and not string ? Show(expected) == Show(seen) : Equals(expected, seen);
        if (isEqual) return;
        throw new ExpectationException($"{what}: expected {Show(expected)}, saw {Show(seen)}");
    }

    public static void True(string what, bool holds)
    {
        if (!holds) throw new ExpectationException($"{what}: this does not hold");
    }

    public static async Task<TFailure> Failure<TFailure>(string call, Func<Task> act) where TFailure : Exception
    {
        try
        {
            await act();
        }
        catch (TFailure failure)
        {
            return failure;
        }
        catch (Exception other)
        {
            throw new ExpectationException($"{call} failed otherwise than it should: {other.Message}", other);
        }
        throw new ExpectationException($"{call} did not fail");
    }

    public static async Task<TFailure> RefusedAtOnce<TFailure>(string call, Func<Task> act) where TFailure : Exception
    {
        var started = DateTime.UtcNow;
        var failure = await Failure<TFailure>(call, act);
        True($"{call} is refused within {AtOnce}", DateTime.UtcNow - started < AtOnce);
        return failure;
    }

    /// <summary>The library's own reason.</summary>
    public static async Task Reason(string call, ServiceBusFailureReason reason, Func<Task> act) =>
        Equal(call, reason.ToString(), (await RefusedAtOnce<ServiceBusException>(call, act)).Reason.ToString());

    static string Show(object? value) => JsonSerializer.Serialize(value);
}

sealed class ExpectationException(string message, Exception? cause = null) : Exception(message, cause);
